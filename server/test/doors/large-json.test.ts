import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { AppError } from '../../src/errors.ts';
import { decodeBase64 } from '../../src/web/doors/base64.ts';
import { LongText, readLargeJson } from '../../src/web/doors/large-json.ts';

const decode = (data: string | LongText) => Buffer.concat([...decodeBase64(data)]);
function parseLargeJson(body: Buffer, pieceBytes = 65_536): unknown {
  const { take, end } = readLargeJson();
  for (let at = 0; at < body.length; at += pieceBytes) take(body.subarray(at, at + pieceBytes));
  return end();
}

const parse = (text: string, pieceBytes?: number) =>
  parseLargeJson(Buffer.from(text), pieceBytes) as Record<string, unknown>; // all below are objects

test('a body’s long strings stay intact, whatever is escaped in them and around them', () => {
  const image = randomBytes(300_001);
  const data = image.toString('base64');
  const text = `${'a "quoted" \\ back\\\\slash/'.repeat(1_000)}é`;
  const body = JSON.stringify({ short: 'é\\"', data, list: [{ text }, data.slice(0, 8_000)], __proto__: 1 });
  const sent = body.replace('"list"', `"__proto__": {"data": "${data}"}, "list"`);
  for (const pieceBytes of [65_536, 999, 7]) {
    const parsed = parse(sent, pieceBytes);
    assert.equal(parsed.short, 'é\\"');
    assert.ok(parsed.data instanceof LongText);
    assert.deepEqual(decode(parsed.data), image);
    const [first, second] = parsed.list as [{ text: LongText }, string];
    assert.equal(first.text.read(), text);
    assert.equal(second, data.slice(0, 8_000));
    assert.deepEqual(Object.keys(parsed), ['short', 'data', '__proto__', 'list']);
    assert.equal(Object.getPrototypeOf(parsed), Object.prototype);
  }
});

function cutUp(bytes: Buffer): Buffer[] {
  const half = Math.floor(bytes.length / 2);
  return [bytes.subarray(0, half), bytes.subarray(half, half + 1), bytes.subarray(half + 1)];
}

test('base64 is decoded in either alphabet, padded or not, escaped or in lines', () => {
  for (const length of [0, 1, 2, 3, 70_000, 70_001, 70_002]) {
    const bytes = randomBytes(length);
    const text = bytes.toString('base64');
    const lines = text.replaceAll(/(.{76})/g, '$1\n');
    for (const form of [text, text.replaceAll('=', ''), bytes.toString('base64url'), lines]) {
      assert.deepEqual(decode(form), bytes);
      const escaped = JSON.stringify(form).slice(1, -1).replaceAll('/', '\\/').replaceAll('+', '\\u002B');
      assert.deepEqual(decode(new LongText(cutUp(Buffer.from(escaped)))), bytes);
    }
  }
  for (const wrong of ['a', 'data:image/png;base64,AAAA', 'AA=A', 'AAA===', 'AÄAA', 'A'.repeat(65_537)])
    assert.throws(() => decode(wrong), { code: 'invalid_request' }, wrong.slice(0, 40));
});

test('bodies that are too deep, have too many values, are broken, or are too large without their images are refused', () => {
  const long = `"${'A'.repeat(9_000)}"`;
  const refused: [string, string][] = [
    ['invalid_request', `[${long}`],
    ['invalid_request', `{"a": ${long.slice(0, -1)}`],
    ['invalid_request', `${'['.repeat(100_000)}${long}${']'.repeat(100_000)}`],
    ['invalid_request', `[${`${long},`.repeat(501)}1]`],
    ['body_too_large', `[${`"${'A'.repeat(8_000)}",`.repeat(100)}1]`],
  ];
  for (const [code, text] of refused)
    assert.throws(
      () => parse(text),
      (error) => error instanceof AppError && error.code === code,
      text.slice(0, 40),
    );
  const quotes = Buffer.from(`["${'\\'.repeat(3_000_001)}"]`);
  assert.throws(() => parseLargeJson(quotes), { code: 'invalid_request' });
  const invalid = parseLargeJson(
    Buffer.concat([Buffer.from('["'), Buffer.alloc(9_000, 0xff), Buffer.from('"]')]),
  );
  assert.throws(() => (invalid as [LongText])[0].read(), { code: 'invalid_request' });
});
