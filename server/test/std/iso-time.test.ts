import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toIso } from '../../src/base/std/iso-time.ts';

const dayMs = 86_400_000;
const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

test('times are formatted as by Date, in any order, from 1970 to 9999', () => {
  const near = fc.tuple(fc.integer({ min: 1, max: 40_000 }), fc.integer({ min: -2_000, max: 2_000 }));
  const times = fc.oneof(
    fc.integer({ min: 0, max: last }),
    near.map(([day, ms]) => day * dayMs + ms),
    fc.constantFrom(0, dayMs - 1, dayMs, last),
  );
  fc.assert(
    fc.property(fc.array(times), (list) => {
      assert.deepEqual(
        list.map(toIso),
        list.map((ms) => new Date(ms).toISOString()),
      );
    }),
    { numRuns: 1_000 },
  );
});
