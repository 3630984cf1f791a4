import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseListing, textOf } from '../../src/images/s3/s3-listing.ts';

const listing = (inner: string) =>
  `<?xml version="1.0"?>\n<ListBucketResult xmlns="x">${inner}</ListBucketResult>`;
const entry = (key: string, more = '<Size>1</Size><LastModified>2026-11-01T00:00:00Z</LastModified>') =>
  `<Contents><Key>${key}</Key>${more}</Contents>`;

test('entities are decoded once, and only XML’s own', () => {
  const texts = [
    '&amp;lt;',
    '&lt;a&gt;',
    '&quot;&apos;',
    '&#65;&#x42;&#X43;',
    '&#x1F600;',
    '&#x110000;',
    '&unknown;',
    '&',
  ];
  const decoded = texts.map((text) => textOf(`<Key>${text}</Key>`, 'Key'));
  assert.deepEqual(decoded, ['&lt;', '<a>', '"\'', 'ABC', '😀', '&#x110000;', '&unknown;', '&']);
});

test('an entity that the document declares itself is not expanded', () => {
  const xml = `<!DOCTYPE x [<!ENTITY boom "boom">]>${listing(entry('&boom;'))}`;
  assert.equal(parseListing(xml).objects[0]?.key, '&boom;');
});

test('an incomplete listing throws instead of leaving objects out', () => {
  const broken = [
    '',
    '<html></html>',
    listing(entry('a', '')),
    listing(entry('a', '<Size>x</Size><LastModified>2026-11-01T00:00:00Z</LastModified>')),
    listing(entry('a', '<Size>1</Size><LastModified>soon</LastModified>')),
    listing('<Contents><Size>1</Size></Contents>'),
    listing('<IsTruncated>true</IsTruncated>'),
    listing(entry('a')).slice(0, -1),
  ];
  for (const xml of broken) assert.throws(() => parseListing(xml), TypeError, xml);
});

test('eight megabytes of unclosed entries are refused at once', () => {
  const startedMs = performance.now();
  assert.throws(() => parseListing(listing('<Contents><Key>'.repeat(500_000))), TypeError);
  assert.ok(performance.now() - startedMs < 5_000);
});
