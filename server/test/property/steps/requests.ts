import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../src/errors.ts';
import type { ModelState } from '../model.ts';
import { mostOf, subjectsOf } from '../model-limits.ts';
import { accountAt, accountIndex, type Kind, step } from './step.ts';

export const requests: Record<string, Kind> = {
  requests: {
    weight: 4,
    steps: fc
      .record({ account: accountIndex, key: fc.nat(1), count: fc.integer({ min: 1, max: 4 }) })
      .map(send),
  },
};

// The parts of a request that the rate limit reads, and of a reply that it sets.
const asked = { headers: {}, clientAddress: '127.0.0.1' } as FastifyRequest;
const answer = { header: () => answer } as unknown as FastifyReply;

function send(drawn: { account: number; key: number; count: number }) {
  return step('requests', drawn, async (state, { entrance }) => {
    const account = accountAt(state, drawn.account);
    const { id, text } = account.keys[drawn.key] ?? { id: '', text: null };
    for (let i = 0; i < drawn.count; i += 1) {
      const entered = (async () => entrance.admit(asked, answer, () => text ?? ''))();
      const buckets = subjectsOf(account, id).flatMap((subject) => bucketsOf(state, subject));
      if (buckets.every(({ tokens }) => tokens >= 1)) {
        assert.equal((await entered).id, id);
        for (const bucket of buckets) bucket.tokens -= 1;
      }
      // A refused request uses none of the rate, so that an impatient key does not block the account's others.
      else
        await assert.rejects(
          entered,
          (error) => error instanceof AppError && error.code === 'too_many_requests',
        );
    }
  });
}

/** The buckets of an account or a key, filled up to now. */
function bucketsOf(state: ModelState, { kind, id }: { kind: 'account' | 'key'; id: string }) {
  return (['second', 'minute'] as const).flatMap((meter) => {
    const most = mostOf(state, kind, id, meter);
    if (most === undefined) return [];
    const burst = Number(most);
    const name = `${id} ${meter}`;
    const bucket = state.buckets.get(name) ?? { tokens: burst, at: state.nowMs };
    const perSecond = meter === 'minute' ? burst / 60 : burst;
    bucket.tokens = Math.min(burst, bucket.tokens + ((state.nowMs - bucket.at) / 1_000) * perSecond);
    bucket.at = state.nowMs;
    state.buckets.set(name, bucket);
    return [bucket];
  });
}
