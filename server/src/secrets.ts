import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The secrets that sign result links: the configured ones, else one that this installation made for itself. */
export async function loadSecrets({
  secrets,
  dataDir,
}: {
  secrets: string[];
  dataDir: string;
}): Promise<string[]> {
  if (secrets.length > 0) return secrets;
  const file = join(dataDir, 'secret');
  return [(await read(file)) ?? (await make(file))];
}

/** Two processes may start at once: a link is made whole or not at all, and never over another. */
async function make(file: string): Promise<string> {
  const temporary = `${file}.${process.pid}`;
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(temporary, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true });
  try {
    await link(temporary, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  const secret = await read(file);
  if (!secret) throw new Error(`${file} was just written and cannot be read`);
  return secret;
}

async function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
}
