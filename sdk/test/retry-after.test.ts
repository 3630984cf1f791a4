import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRetryAfterMs } from '../src/retry-after.ts';

const nowMs = Date.parse('2026-11-20T10:00:00Z');

for (const [header, expected] of [
  [null, null],
  ['0', 0],
  ['120', 120_000],
  ['Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
  ['-5', null],
  ['1.5', null],
  ['soon', null],
] as const) {
  test(`Retry-After ${JSON.stringify(header)} means ${expected} ms`, () => {
    assert.equal(parseRetryAfterMs(header, nowMs), expected);
  });
}
