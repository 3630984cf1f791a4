import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { InputErrors } from '../../src/images/inputs/input-errors.ts';
import { makeInputWorld } from './support/input-world.ts';
import { startRawStranger } from './support/strangers.ts';

const pieces = [
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n',
  'HTTP/1.1 302 Found\r\nLocation: \r\n',
  'HTTP/1.1 302 Found\r\nLocation: http://[\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n',
  'HTTP/9.9 99999 ?\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: chunked, gzip\r\n',
  'Content-Length: 18446744073709551617\r\n',
  'Content-Length: 5\r\nContent-Length: 6\r\n',
  'Content-Encoding: gzip\r\n',
  'x: \u0000\u00ff\r\n',
  '\r\n',
  'fffffffffffffffff\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  '\x89PNG\r\n\x1a\n',
  '\x16\x03\x01\x02\x00\x01',
];

const answers = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 30 })), {
  maxLength: 8,
});

test('whatever bytes a server sends, the client gets an answer about its input and the process lives', async () => {
  await using world = await makeInputWorld({ limits: { answerMs: 1_000, silenceMs: 1_000, totalMs: 2_000 } });
  let answer = '';
  await using stranger = await startRawStranger((socket) => socket.end(answer, 'latin1'));
  await fc.assert(
    fc.asyncProperty(answers, fc.constantFrom('http', 'https'), async (parts, scheme) => {
      answer = parts.join('');
      const url = stranger.origin.replace('http', scheme);
      const outcome = await world.fetch([url]).then(
        async (set) => set[Symbol.asyncDispose](),
        (error: unknown) => error,
      );
      assert(outcome === undefined || outcome instanceof InputErrors, `${outcome}`);
    }),
    { numRuns: 300 },
  );
});
