import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepNames } from './commands.ts';
import { runSeed } from './run-seed.ts';

const seeds = 40;
const length = 60;

test(`any sequence of ${length} steps leaves jobs, money and events as the model says, for ${seeds} seeds`, async (t) => {
  const pairs = new Set<string>();
  const first = Math.trunc(Date.now() / 1000);
  for (let seed = first; seed < first + seeds; seed++) await runSeed(seed, length, pairs);
  t.diagnostic(
    `seeds ${first} to ${first + seeds - 1}, ${pairs.size} of ${stepNames.length ** 2} pairs of steps`,
  );
  assert.ok(pairs.size > stepNames.length ** 2 / 2);
});
