import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

/** Writes a file, by default a private one. Readers, and a process that starts after a crash, see the old text or the new one, whole. */
export async function replaceFile(file: string, text: string, mode = 0o600): Promise<void> {
  const temporary = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(temporary, text, { mode, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
