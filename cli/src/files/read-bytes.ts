import { readFile } from 'node:fs/promises';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { dash, readStandardInput } from '../standard-streams.ts';
import { fileTrouble } from './file-trouble.ts';

/** Reads a file, or the standard input for `-`; `what` is the expected content. @throws CliError */
export async function readBytes(file: string, what: string, next?: string): Promise<Buffer> {
  if (file === dash) return readStandardInput(what);
  try {
    return await readFile(file);
  } catch (error) {
    throw new CliError(exitCodes.usage, `${file} cannot be read: ${fileTrouble(error)}.`, next);
  }
}
