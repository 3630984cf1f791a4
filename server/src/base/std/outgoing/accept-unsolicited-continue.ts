import type { Socket } from 'node:net';

const informational = /^HTTP\/1\.[01] 1\d\d$/;
const statusLength = 'HTTP/1.1 100'.length;
const two = '2'.charCodeAt(0);

/** Turns status 100 into 102: clients must accept an unsolicited 100 (RFC 9110, 15.2), but undici disconnects. */
export function acceptUnsolicitedContinue(socket: Socket): Socket {
  const push = socket.push.bind(socket);
  const write = socket.write;
  // The reader's place in the response, because chunks can split a header. `done`: the final response has begun.
  let at: 'status' | 'headers' | 'done' = 'status';
  let seen = '';

  function look(chunk: Buffer): void {
    for (let index = 0; index < chunk.length && at !== 'done'; index += 1) {
      seen += String.fromCharCode(chunk[index] ?? 0);
      if (at === 'headers') {
        seen = seen.slice(-4);
        if (seen === '\r\n\r\n') begin();
      } else if (seen.length === statusLength) {
        at = informational.test(seen) ? 'headers' : 'done';
        if (at === 'headers' && seen.endsWith('100')) chunk[index] = two;
      }
    }
  }

  function begin(): void {
    at = 'status';
    seen = '';
  }

  socket.push = (chunk: Buffer | null) => {
    if (chunk) look(chunk);
    return push(chunk);
  };
  // A write once the final response has begun belongs to the next request, so the next response begins.
  socket.write = ((...args: Parameters<typeof write>) => {
    if (at === 'done') begin();
    return write.apply(socket, args);
  }) as typeof write; // the overloads are passed on unchanged
  return socket;
}
