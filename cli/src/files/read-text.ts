import { readBytes } from './read-bytes.ts';

/** The content of a file, or of the standard input for `-`. */
export async function readText(file: string): Promise<string> {
  return (await readBytes(file, 'the content of a file')).toString();
}
