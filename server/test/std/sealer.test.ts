import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSealer } from '../../src/base/std/sealer.ts';

const purpose = 'tests';

test('a sealed value is opened only for its owner, and never looks the same twice', () => {
  const sealer = createSealer(['a secret'], purpose);
  for (const text of ['', 'a', 'ümläut '.repeat(500)]) {
    const sealed = sealer.seal(text, 'owner');
    assert.equal(sealer.open(sealed, 'owner'), text);
    assert.equal(sealer.open(sealed, 'somebody'), undefined);
    assert.notEqual(sealer.seal(text, 'owner'), sealed);
    assert.ok(sealed.startsWith(sealer.currentPrefix));
  }
});

test('a value that is not sealed, cut short or changed is not opened, and nothing throws', () => {
  const sealer = createSealer(['a secret'], purpose);
  const sealed = sealer.seal('a', 'owner');
  for (const text of [
    '',
    'a',
    sealer.currentPrefix,
    `${sealer.currentPrefix}AAAA`,
    sealed.slice(0, -1),
    sealed.replace('v1', 'v2'),
    sealed.replace(/\.[0-9a-f]{8}\./, '.00000000.'),
    createSealer(['another secret'], purpose).seal('a', 'owner'),
    createSealer(['a secret'], 'other tests').seal('a', 'owner'),
  ])
    assert.equal(sealer.open(text, 'owner'), undefined, text);
});

test('the first secret seals and all of them open, by ids that do not change with versions of Darkroom', () => {
  const old = createSealer(['a secret'], purpose);
  const sealed = old.seal('a', 'owner');
  const both = createSealer(['new', 'a secret'], purpose);
  assert.equal(both.open(sealed, 'owner'), 'a');
  assert.equal(old.open(both.seal('a', 'owner'), 'owner'), undefined);
  assert.deepEqual(both.keyIds, [createSealer(['new'], purpose).keyIds[0], ...old.keyIds]);
  assert.deepEqual(old.keyIds, ['63f0202b']);
  assert.equal(
    old.open('v1.63f0202b.Ihc8bZURZAHK7MHFUffcyT-eJkwKIk4kCBeDGrp9Fzlb9AccSE33DVtYPQ', 'owner'),
    'sealed long ago',
  );
  assert.throws(() => createSealer([], purpose), /needs a secret/);
});
