import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

export const dash = '-';

let isRead = false;

/**
 * Reads the whole standard input; `what` is the expected content.
 * @throws CliError when it is empty, or another argument has already read it
 */
export async function readStandardInput(what: string): Promise<Buffer> {
  if (isRead)
    throw new CliError(exitCodes.usage, '- can be given once: there is one standard input.', 'use a file');
  isRead = true;
  const bytes = Buffer.concat(await process.stdin.toArray());
  if (bytes.toString().trim() !== '') return bytes;
  throw new CliError(exitCodes.usage, `The standard input is empty; expected ${what}.`);
}

/** Refuses to write a file's bytes to a terminal. @throws CliError if stdout is a terminal */
export function assertNoTerminal(): void {
  if (!process.stdout.isTTY) return;
  throw new CliError(
    exitCodes.usage,
    'The bytes of a file would garble the terminal.',
    'send the output to a file or a program',
  );
}

/** Writes pieces as they arrive, and keeps stdout open. */
export async function sendToStandardOutput(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(Readable.from(pieces), process.stdout, { end: false });
}

export async function writeStandardOutput(bytes: Uint8Array): Promise<void> {
  process.stdout.end(bytes);
  await finished(process.stdout);
}
