import { readFile } from 'node:fs/promises';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { dash, readStandardInput } from '../standard-streams.ts';
import { fileTrouble } from './file-trouble.ts';

/** The content of a file, or of the standard input for `-`. */
export async function readText(file: string): Promise<string> {
  if (file === dash) return (await readStandardInput('the content of a file')).toString();
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CliError(exitCodes.usage, `${file} cannot be read: ${fileTrouble(error)}.`);
  }
}
