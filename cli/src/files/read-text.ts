import { readBytes } from './read-bytes.ts';

export async function readText(file: string): Promise<string> {
  return (await readBytes(file, 'the content of a file')).toString();
}
