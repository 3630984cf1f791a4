import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { InputImage } from '@darkroom/sdk';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { dash, readStandardInput } from '../standard-streams.ts';
import { fileTrouble } from './file-trouble.ts';

/** Whether an argument names an image: a URL, a file that is there, or `-` for the standard input. */
export function isInput(text: string): boolean {
  return text === dash || isUrl(text) || existsSync(text);
}

/** Reads what is local before anything is sent, so that a wrong name costs nothing. */
export async function readInputs(inputs: readonly string[]): Promise<InputImage[]> {
  return Promise.all(inputs.map(readInput));
}

async function readInput(input: string): Promise<InputImage> {
  if (isUrl(input)) return input;
  if (input === dash) return readStandardInput('an image');
  try {
    return await readFile(input);
  } catch (error) {
    const next = 'check the name; the address of an image begins with https://';
    throw new CliError(exitCodes.usage, `${input} cannot be read: ${fileTrouble(error)}.`, next);
  }
}

function isUrl(text: string): boolean {
  return /^https?:/i.test(text);
}
