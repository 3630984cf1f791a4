import type { Readable, Writable } from 'node:stream';

// As for the lines of one process: a reader that stops reading loses lines, but holds nobody up.
const maxWaitingBytes = 1_048_576;

/** Passes on whole lines only, so that those of several processes never run into one another. */
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
