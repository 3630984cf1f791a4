import type { FileHandle } from 'node:fs/promises';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { fileTrouble } from './file-trouble.ts';

export interface StreamTarget {
  file: string;
  open(): Promise<FileHandle>;
  /** What to do if the file cannot be written. */
  next: string;
}

/**
 * Writes pieces to a file as they arrive. Returns the number of bytes. Errors from reading the pieces are rethrown.
 * @throws CliError if the file cannot be written
 */
export async function saveStream(
  { file, open, next }: StreamTarget,
  pieces: AsyncIterable<Uint8Array>,
): Promise<number> {
  const saving = (error: unknown): never => {
    throw new CliError(exitCodes.unavailable, `${file} cannot be written: ${fileTrouble(error)}.`, next);
  };
  await using handle = await open().catch(saving);
  let bytes = 0;
  for await (const piece of pieces) {
    await handle.appendFile(piece).catch(saving);
    bytes += piece.byteLength;
  }
  return bytes;
}
