import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilNext } from '../../src/base/std/until-next.ts';

test('loops of one length wake together, and a timer that expires early does not run twice', () => {
  assert.equal(untilNext(1_000, 250), 750);
  assert.equal(untilNext(1_000, 1_000), 1_000);
  assert.equal(untilNext(1_000, 1_999), 1_001);
  assert.equal(untilNext(250, 499.5), 250.5);
  assert.equal(untilNext(3_600_000, 3_500_000), 100_000);
});
