import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from './errors';
import { readJsonLog, resumeJsonLog, writeJsonLog } from './json-log';

const folder = mkdtempSync(join(tmpdir(), 'lyreo-json-log-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('a log of results', () => {
  it('gives back what was written, in a folder that it makes', () => {
    const path = join(folder, 'new', 'log.jsonl');
    writeJsonLog(path, { header: '{"seed":1}', lines: [{ a: 1 }, { a: 2 }] });
    expect(readJsonLog(path)).toEqual({ header: '{"seed":1}', lines: [{ a: 1 }, { a: 2 }] });
    expect(resumeJsonLog(path, '{"seed":1}', 'another')).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('begins empty where there is none, and refuses that of other work', () => {
    expect(resumeJsonLog(join(folder, 'none.jsonl'), 'x', 'another')).toEqual([]);
    const path = join(folder, 'other.jsonl');
    writeJsonLog(path, { header: 'x', lines: [] });
    expect(() => resumeJsonLog(path, 'y', 'another search; allowed: x')).toThrow(
      new UserError(`${path} is the log of another search; allowed: x`),
    );
  });

  it('names a file that is broken, or a folder', () => {
    const path = join(folder, 'broken.jsonl');
    writeFileSync(path, 'x\n{"a":1}\n{"a":');
    expect(() => readJsonLog(path)).toThrow(/broken\.jsonl is no valid JSON/);
    mkdirSync(join(folder, 'folder'));
    expect(() => resumeJsonLog(join(folder, 'folder'), 'x', 'another')).toThrow(UserError);
  });
});
