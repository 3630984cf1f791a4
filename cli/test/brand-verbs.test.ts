import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operate } from './operate.ts';

test('the brand goes to stdout, and the message that there is none to stderr', async () => {
  const shown = await operate(['brand', 'show']);
  assert.equal(
    shown.stdout,
    `name     Acme Images
version  4
accent   #0b7285
logo     120 × 40 pixels
support  help@acme.example
terms    none
privacy  none
`,
  );
  const set = await operate(['brand', 'set', 'Acme Images', '--logo', 'none']);
  assert.deepEqual(set.calls[0], ['saveBrand', { name: 'Acme Images', logo: null }]);
  assert.equal(set.stdout, shown.stdout);
  const none = await operate(['brand', 'show'], { FAKE_EMPTY: '1' });
  assert.equal(none.stdout, '');
  assert.match(none.stderr, /^There is no brand: this is Darkroom\./);
});

test('a logo that cannot be read is a usage error, and nothing is sent', async () => {
  const { code, stderr, calls } = await operate(['brand', 'set', 'Acme Images', '--logo', 'nowhere.png']);
  assert.deepEqual([code, calls], [2, []]);
  assert.match(stderr, /nowhere\.png cannot be read/);
});
