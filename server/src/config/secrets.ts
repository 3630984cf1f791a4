import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Database } from '../db/database.ts';
import { claimSetting, readSetting } from '../db/settings-store.ts';
import { writeIfAbsent } from '../std/write-if-absent.ts';

const setting = 'secret';

/**
 * The secrets for links, sessions, authenticators and webhook secrets. Without configured ones, the
 * installation makes one and stores it where all its processes can read it: in PostgreSQL, or beside the
 * SQLite file.
 */
export async function loadSecrets(
  { secrets, dataDir }: { secrets: string[]; dataDir: string },
  database: Database,
): Promise<string[]> {
  if (secrets.length > 0) return secrets;
  if (database.kind === 'postgres')
    return [(await readSetting(database.read, setting)) ?? (await claim(database))];
  const file = join(dataDir, 'secret');
  return [(await read(file)) ?? (await make(file))];
}

/** Of several processes that start together, one makes the secret and all of them read it. */
async function claim(database: Database): Promise<string> {
  await database.transaction((tx) => claimSetting(tx, setting, newSecret()));
  const secret = await readSetting(database.read, setting);
  if (!secret) throw new Error(`the setting ${setting} was just written and cannot be read`);
  return secret;
}

async function make(file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeIfAbsent(file, newSecret());
  const secret = await read(file);
  if (!secret) throw new Error(`${file} was just written and cannot be read`);
  return secret;
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
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
