export interface SpoiltBody {
  name: string;
  type: string | undefined;
  headers?: Record<string, string>;
  body: Buffer;
}

// A size below the limit of every call.
const size = 250 * 1024;
const full = (text: string) => text.repeat(Math.floor(size / text.length));
const json = (name: string, text: string | Buffer): SpoiltBody => ({
  ...{ name, type: 'application/json' },
  body: Buffer.isBuffer(text) ? text : Buffer.from(text),
});

export const spoiltBodies: readonly SpoiltBody[] = [
  json('nothing', ''),
  json('null', 'null'),
  json('a list', '[]'),
  json('a text', '"x"'),
  json('a number that is none', '{"limit":1e999}'),
  json('half of it', '{"prompt":'),
  json('lists in lists', full('[')),
  json('closed lists in lists', `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`),
  json('objects in objects', full('{"a":')),
  json('commas', `[${full('"",')}""]`),
  json('commas alone', full(',')),
  json('many fields', `{${Array.from({ length: 20_000 }, (_, at) => `"f${at}":0`).join(',')}}`),
  json('bytes that are no UTF-8', Buffer.from('7b2270726f6d7074223a22fffec0af227d', 'hex')),
  json('half of a character', '{"prompt":"\\ud800","name":"\\udfff"}'),
  json('NULs', '{"prompt":"\\u0000","name":"\\u0000\\u0000"}'),
  json('a byte order mark', '\ufeff{}'),
  json('fields twice', '{"prompt":"a","prompt":"b","name":"a","name":{"a":[]}}'),
  json('names of prototypes', '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}'),
  json('a long text', `{"prompt":"${'x'.repeat(size)}"}`),
  json('a long number', `{"limit":${'9'.repeat(size)}}`),
  json('escapes', `{"prompt":"${full('\\u0061')}"}`),
  { name: 'no type', type: undefined, body: Buffer.from('{}') },
  { name: 'a type that is none', type: 'x', body: Buffer.from('{}') },
  { name: 'a text as it is', type: 'text/plain', body: Buffer.from('{}') },
  { name: 'XML', type: 'application/xml', body: Buffer.from('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>') },
  { name: 'another encoding', type: 'application/json; charset=utf-16', body: Buffer.from('{}', 'utf16le') },
  { name: 'a form without a boundary', type: 'multipart/form-data', body: Buffer.from('--x\r\n') },
  {
    ...{ name: 'a form without an end', type: 'multipart/form-data; boundary=x' },
    body: Buffer.from(`--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n${'y'.repeat(1_000)}`),
  },
  {
    ...{ name: 'a form of empty parts', type: 'multipart/form-data; boundary=x' },
    body: Buffer.from(full('--x\r\n\r\n\r\n')),
  },
  {
    name: 'an image that is none',
    type: 'image/png',
    body: Buffer.from(full('\x89PNG\r\n\x1a\n'), 'latin1'),
  },
  {
    ...{ name: 'packed', type: 'application/json', headers: { 'content-encoding': 'gzip' } },
    body: Buffer.from('H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA==', 'base64'),
  },
];
