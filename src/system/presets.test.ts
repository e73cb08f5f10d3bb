import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../core/errors';
import type { SystemConfig } from './config';
import { standards } from './config-fields';
import { calibrated } from './gpus';
import { systemConfig } from './presets';

describe('systemConfig', () => {
  it('is Table I and Section V-A', () => {
    expect(systemConfig('literal')).toMatchObject({
      servers: 8,
      slots: 800,
      slotSeconds: 1,
      bandwidthMHz: [6, 14],
      txPowerDbm: [15, 25],
      noiseDbmPerHz: -174,
      areaMeters: [200, 200],
      kvKilobytesPerToken: 16,
      bitsPerToken: 16,
      meanInputTokens: 70,
      meanOutputTokens: 215,
      balanceTolerance: 0.01,
      kvPoolFraction: 1,
    });
  });

  it.each(Object.entries(standards))('has the documented default of %s', (field, value) => {
    const source = readFileSync(join(__dirname, 'config.ts'), 'utf8');
    const [, doc] = new RegExp(`/\\*\\*((?:(?!\\*/).)*)\\*/\\s+readonly ${field}: `, 's').exec(source) ?? [];
    const shown = Array.isArray(value)
      ? `[${value.join(', ')}]`
      : typeof value === 'string'
        ? `'${value}'`
        : String(value);
    expect(doc).toContain(`Default ${shown.replace('-', '−')}`);
  });

  it('takes κ, w and the spreads from data/calibrated.json', () => {
    const { kvPoolFraction, prefillSlowdown, sigmaInput, sigmaOutput } = calibrated();
    expect(systemConfig('calibrated')).toMatchObject({ kvPoolFraction, prefillSlowdown, sigmaInput, sigmaOutput });
    expect(systemConfig('literal')).toMatchObject({ prefillSlowdown, sigmaInput, sigmaOutput });
  });

  const lmsys = { lengths: 'lmsys-like' } as const;
  const gpus = ['rtx3080', 'rtx4090'];
  it.each<[string, Partial<SystemConfig>, Partial<SystemConfig>]>([
    [
      'lengths bring their spreads',
      lmsys,
      { sigmaInput: 1.2, sigmaOutput: 1, meanInputTokens: 70, meanOutputTokens: 215 },
    ],
    ['unless those are given', { ...lmsys, sigmaOutput: 0.5 }, { sigmaInput: 1.2, sigmaOutput: 0.5 }],
    ['gpus bring the number of servers', { gpus }, { servers: 2 }],
    ['undefined is absent', { users: undefined } as unknown as Partial<SystemConfig>, { users: 40 }],
  ])('%s', (_what, overrides, fields) => {
    expect(systemConfig('calibrated', overrides)).toMatchObject(fields);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ users: 0 }, 'configuration: users is 0; allowed: an integer from 1 to 1000000'],
    [{ slotSeconds: 0 }, 'configuration: slotSeconds is 0; allowed: a finite number > 0'],
    [
      { bitsPerToken: Number.POSITIVE_INFINITY },
      'configuration: bitsPerToken is Infinity; allowed: a finite number > 0',
    ],
    [{ mix: 'mod' }, 'configuration: mix is "mod"; allowed: "Hom" or "Mod" or "Het"'],
    [{ kvPoolFraction: 1.1 }, 'configuration: kvPoolFraction is 1.1; allowed: a number in (0, 1]'],
    [{ prefillSlowdown: 1 }, 'configuration: prefillSlowdown is 1; allowed: a number in [0, 1)'],
    [{ batching: null }, 'configuration: batching is null; allowed: "deed" or "static"'],
    [
      { bandwidthMHz: [14, 6] },
      'configuration: bandwidthMHz is [14,6]; allowed: two finite numbers > 0, MHz, lowest <= highest',
    ],
    [{ bandwidthMHz: [0, 6] }, 'configuration: bandwidthMHz[0] is 0; allowed: a finite number > 0'],
    [{ noiseDbmPerHz: 5 }, 'configuration: noiseDbmPerHz is 5; allowed: a number from -300 to 0'],
    [{ meanInputTokens: 0 }, 'configuration: meanInputTokens is 0; allowed: a number from 1 to 1000000'],
    [{ stateDelaySlots: -1 }, 'configuration: stateDelaySlots is -1; allowed: an integer from 0 to 1000'],
    [{ user: 40 }, 'configuration: user is 40; allowed: no unknown keys; did you mean users?'],
    [
      { gpus: ['rtx3080'], servers: 2 },
      'configuration: gpus has 1 names and servers is 2; allowed: as many names as servers',
    ],
    [
      { gpus: ['rtx3080', 'rtx5090'] },
      'configuration: gpus[1] is "rtx5090"; allowed: rtx3080, rtx3090, rtx4090, or a gpuProfilesFile that has it',
    ],
  ])('refuses %j by name', (overrides, message) => {
    const make = (): unknown => systemConfig('calibrated', overrides);
    expect(make).toThrow(UserError);
    expect(make).toThrow(message);
  });

  it('refuses an unknown preset', () => {
    expect(() => systemConfig('paper' as 'literal')).toThrow(
      'configuration: preset is "paper"; allowed: "literal" or "calibrated"',
    );
  });
});
