import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../../src');
/** The only file that may read the socket: it handles the case that there is none. */
const reader = 'base/http/connections/socket-of.ts';
/** Folders with code that serves requests; in other code, a socket is one of our own. */
const rooms = '{base/http,web,start,accounts,images/uploads}/**/*.ts';

/** Matches `request.raw.socket`, `reply.raw.connection`, `const { socket } = request.raw` and similar reads. */
const reads =
  /\b(?:raw|request|req|response|reply|res|message|answer)\s*[?!]?\.\s*(?:socket|connection)\b|\{[^{}]*\b(?:socket|connection)\b[^{}]*\}\s*(?:=\s*[^;]*\b(?:raw|request|req|response|reply|res|message|answer)\b|:\s*(?:IncomingMessage|ServerResponse|FastifyRequest|FastifyReply))/;

test('a request’s connection, which may be gone, is read in only one place', () => {
  for (const line of [
    'use(request.raw.socket.remoteAddress)',
    'const { socket } = request.raw;',
    'return ({ socket, headers }: IncomingMessage) => socket.bytesRead;',
    'reply.raw.socket?.destroy()',
    'server.emit(request.connection)',
  ])
    assert.match(line, reads);
  const files = globSync(rooms, { cwd: root });
  assert.ok(files.length > 100, `${files.length} files`);
  const found = files.filter((file) => file !== reader && reads.test(readFileSync(join(root, file), 'utf8')));
  assert.deepEqual(found, []);
});
