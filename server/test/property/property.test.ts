import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everything, money } from './commands.ts';
import { runSeed } from './run-seed.ts';

const length = 60;

for (const { of, kinds, seeds } of [
  { of: 'steps', kinds: everything, seeds: 40 },
  { of: 'steps that move money', kinds: money, seeds: 10 },
]) {
  test(`any sequence of ${length} ${of} leaves jobs, money and events as the model says, for ${seeds} seeds`, async (t) => {
    const pairs = new Set<string>();
    const first = Math.trunc(Date.now() / 1000);
    const { names, steps } = kinds;
    for (let seed = first; seed < first + seeds; seed++) await runSeed(seed, { steps, length }, pairs);
    t.diagnostic(
      `seeds ${first} to ${first + seeds - 1}, ${pairs.size} of ${names.length ** 2} pairs of steps`,
    );
    assert.ok(pairs.size > names.length ** 2 / 2);
  });
}
