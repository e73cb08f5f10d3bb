import { expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { createPolicy } from '../lyreo/policy';
import { playEpisode, type Rollout } from '../lyreo/rollout';
import { systemConfig } from '../system/presets';
import { creditMoves, slotCredit } from './credit-moves';

const config = systemConfig('calibrated', { users: 4, servers: 3, slots: 12 });
const policy = createPolicy('factorised', { servers: 3, hidden: [8, 8, 8] }, createRng(1));
const rollout = playEpisode(config, policy, 5, createRng(2)) as Rollout;

it('knows in which slot each outcome became known', () => {
  const bySlot = new Float64Array(rollout.slots);
  rollout.completedSlot.forEach((slot, d) => {
    expect(slot).toBeGreaterThanOrEqual(Math.floor(d / rollout.requests));
    bySlot[slot] += rollout.latency[d];
  });
  bySlot[rollout.slots - 1] -= rollout.drainedLatency;
  bySlot.forEach((seconds, t) => {
    expect(seconds).toBeCloseTo(rollout.terms.latency[t], 9);
  });
});

it('moves every second from where it arrives to where it was decided', () => {
  const moves = creditMoves(rollout, 2, 5);
  const requests = moves.reduce((sum, move) => sum + move.requests, 0);
  const seconds = moves.reduce((sum, move) => sum + move.seconds, 0);
  expect(requests).toBe(3 * rollout.requests);
  expect(seconds).toBeCloseTo(
    rollout.latency.subarray(2 * 4, 5 * 4).reduce((a, b) => a + b, 0),
    9,
  );
});

it('gives a slot its mean credit', () => {
  expect(slotCredit(Float32Array.of(1, 3, 5, 9), 2)).toEqual(Float32Array.of(2, 2, 7, 7));
});
