import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { frameFor, keptIn } from '../src/features/masks/extend.ts';
import { soften } from '../src/features/masks/soften.ts';

suite('masks that are drawn in the page', () => {
  test('are soft within their reach alone, symmetric, and stay marked up to an edge', () => {
    const size = { width: 40, height: 3 };
    const values = new Uint8ClampedArray(120).map((_, at) => (at % 40 < 20 ? 255 : 0));
    soften(values, size, 2);
    const row = values.subarray(0, 40);
    assert.equal(row[0], 255);
    assert.deepEqual([row[12], row[27]], [255, 0]);
    for (let at = 0; at < 20; at += 1) assert.ok(Math.abs((row[at] ?? 0) + (row[39 - at] ?? 0) - 255) <= 2);
    assert.deepEqual(values.subarray(80), row);
    soften(values, size, 0.4);
    assert.deepEqual(values.subarray(80), row);
  });

  test('of an extension leave the image, but for a seam at the new room', () => {
    const image = { width: 1000, height: 1000 };
    const wide = frameFor(image, 16 / 9, 'middle');
    assert.deepEqual(wide, { width: 1778, height: 1000, x: 389, y: 0 });
    assert.deepEqual(keptIn(wide, image), { x: 409, y: 0, width: 960, height: 1000 });
    const tall = frameFor(image, 2 / 3, 'end');
    assert.deepEqual(tall, { width: 1000, height: 1500, x: 0, y: 500 });
    assert.deepEqual(keptIn(tall, image), { x: 0, y: 520, width: 1000, height: 980 });
  });
});
