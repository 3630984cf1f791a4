import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { JsonScanner } from '../../src/upstream/providers/json-scanner.ts';

const image = randomBytes(40_001);
const base64 = image.toString('base64');
const words = 'She said "a \\ b" – und ging. '.repeat(1000);

/** Upstreams' answers, with the image in various places. */
const answers: [what: string, json: string][] = [
  ['an image', JSON.stringify({ image: base64, words: 'a "quoted\\" end' })],
  ['a data link', JSON.stringify({ image: `data:image/png;base64,${base64}` })],
  ['slashes as PHP escapes them', JSON.stringify({ image: base64 }).replaceAll('/', '\\/')],
  ['letters as .NET escapes them', JSON.stringify({ image: base64 }).replaceAll('+', '\\u002B')],
  ['broken lines', JSON.stringify({ image: base64.replaceAll(/.{76}/g, '$&\r\n') })],
  ['without padding', JSON.stringify({ image: base64.replaceAll('=', '') })],
  ['beside a long text', JSON.stringify({ words, image: base64 })],
];

for (const [what, json] of answers) {
  it(`decodes an image as it arrives, in pieces of any size: ${what}`, () => {
    for (const size of [1, 2, 3, 5, 4096, 65_536, json.length]) {
      for (const expected of [undefined, 10, json.length]) {
        const { image: found, ...rest } = scan(json, size, expected);
        assert.ok(found instanceof Uint8Array && image.equals(found), `in pieces of ${size} bytes`);
        const { image: _, ...sent } = JSON.parse(json);
        assert.deepEqual(rest, sent);
      }
    }
  });
}

it('leaves other texts unchanged, however long, and images that break off', () => {
  for (const value of [{ words }, [], { a: { b: [1, null, 'c'] } }, { short: base64.slice(0, 8000) }])
    assert.deepEqual(scan(JSON.stringify(value), 1000), value);
  const broken = `{"image":"${base64}`;
  assert.throws(() => scan(broken, 1000), SyntaxError);
  assert.throws(() => scan('{"words":"half an esc\\', 1000), SyntaxError);
});

it('replaces an image by a name in the text that errors quote', () => {
  const scanner = new JsonScanner();
  scanner.write(Buffer.from(JSON.stringify({ image: base64, error: 'too dark' })));
  assert.match(scanner.text().toString(), /^\{"image":"[0-9a-f-]{36}0","error":"too dark"\}$/);
});

function scan(json: string, size: number, expected?: number) {
  const scanner = new JsonScanner(expected);
  const bytes = Buffer.from(json);
  for (let at = 0; at < bytes.length; at += size) scanner.write(bytes.subarray(at, at + size));
  return scanner.parse() as { image?: unknown };
}
