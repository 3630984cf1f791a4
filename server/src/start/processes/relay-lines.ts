import type { Readable, Writable } from 'node:stream';

// Lines beyond this are dropped, so that a stopped reader of the output does not delay the processes.
const maxWaitingBytes = 1_048_576;

/** Forwards only whole lines, so that lines of several processes do not mix. */
export function relayLines(from: Readable | null, to: Writable): void {
  let begun = '';
  from?.setEncoding('utf8').on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1;
    if (end === 0) {
      begun += text;
      return;
    }
    if (to.writableLength < maxWaitingBytes) to.write(begun + text.slice(0, end));
    begun = text.slice(end);
  });
}
