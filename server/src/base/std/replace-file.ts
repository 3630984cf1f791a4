import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

/** Writes a private file. Readers, and a process that starts after a crash, see the old text or the new one, whole. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
