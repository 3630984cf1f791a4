import { existsSync } from 'node:fs';
import type { InputImage } from '@darkroom/sdk';
import { dash } from '../standard-streams.ts';
import { readBytes } from './read-bytes.ts';

export function isInput(text: string): boolean {
  return text === dash || isUrl(text) || existsSync(text);
}

/** Reads local images before anything is sent, so that a wrong file name costs nothing. */
export async function readInputs(inputs: readonly string[]): Promise<InputImage[]> {
  return Promise.all(inputs.map(readInput));
}

async function readInput(input: string): Promise<InputImage> {
  if (isUrl(input)) return input;
  return readBytes(input, 'an image', 'check the name; the address of an image begins with https://');
}

function isUrl(text: string): boolean {
  return /^https?:/i.test(text);
}
