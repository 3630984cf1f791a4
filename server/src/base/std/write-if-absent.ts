import { randomUUID } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';

/** Writes a private file unless it exists, and returns whether it wrote. A hard link is atomic and never overwrites. */
export async function writeIfAbsent(file: string, content: string): Promise<boolean> {
  const temporary = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(temporary, content, { mode: 0o600, flush: true });
    await link(temporary, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}
