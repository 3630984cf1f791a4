import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { JsonScanner } from '../../src/upstream/providers/json-scanner.ts';

const picture = randomBytes(40_001);
const base64 = picture.toString('base64');
const words = 'She said "a \\ b" – und ging. '.repeat(1000);

/** What upstreams send, and where the picture is in it. */
const answers: [what: string, json: string][] = [
  ['a picture', JSON.stringify({ picture: base64, words: 'a "quoted\\" end' })],
  ['a data link', JSON.stringify({ picture: `data:image/png;base64,${base64}` })],
  ['slashes as PHP escapes them', JSON.stringify({ picture: base64 }).replaceAll('/', '\\/')],
  ['letters as .NET escapes them', JSON.stringify({ picture: base64 }).replaceAll('+', '\\u002B')],
  ['broken lines', JSON.stringify({ picture: base64.replaceAll(/.{76}/g, '$&\r\n') })],
  ['without padding', JSON.stringify({ picture: base64.replaceAll('=', '') })],
  ['beside a long text', JSON.stringify({ words, picture: base64 })],
];

for (const [what, json] of answers) {
  it(`decodes a picture on the way, in pieces of whatever size: ${what}`, () => {
    for (const size of [1, 2, 3, 5, 4096, 65_536, json.length]) {
      for (const expected of [undefined, 10, json.length]) {
        const { picture: found, ...rest } = scan(json, size, expected);
        assert.ok(found instanceof Uint8Array && picture.equals(found), `in pieces of ${size} bytes`);
        const { picture: _, ...sent } = JSON.parse(json);
        assert.deepEqual(rest, sent);
      }
    }
  });
}

it('leaves alone what is no picture, however long, and what is broken off', () => {
  for (const value of [{ words }, [], { a: { b: [1, null, 'c'] } }, { short: base64.slice(0, 8000) }])
    assert.deepEqual(scan(JSON.stringify(value), 1000), value);
  const broken = `{"picture":"${base64}`;
  assert.throws(() => scan(broken, 1000), SyntaxError);
  assert.throws(() => scan('{"words":"half an esc\\', 1000), SyntaxError);
});

it('names a picture in the text that errors quote', () => {
  const scanner = new JsonScanner();
  scanner.write(Buffer.from(JSON.stringify({ picture: base64, error: 'too dark' })));
  assert.match(scanner.text().toString(), /^\{"picture":"[0-9a-f-]{36}0","error":"too dark"\}$/);
});

function scan(json: string, size: number, expected?: number) {
  const scanner = new JsonScanner(expected);
  const bytes = Buffer.from(json);
  for (let at = 0; at < bytes.length; at += size) scanner.write(bytes.subarray(at, at + size));
  return scanner.parse() as { picture?: unknown };
}
