import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Database } from '../base/db/database.ts';
import { claimSetting, readSetting } from '../base/db/settings-store.ts';
import { newToken } from '../base/std/ids.ts';
import { makeFolder } from '../base/std/make-folder.ts';
import { writeIfAbsent } from '../base/std/write-if-absent.ts';
import { SettingError } from '../errors.ts';

const setting = 'secret';

export interface FoundSecrets {
  /** The secrets, the current one first. */
  secrets: readonly [string, ...string[]];
  /** Where the secrets are, as the first words of a sentence. */
  place: string;
}

interface SecretSources {
  secrets: readonly string[];
  dataDir: string;
}

/** Finds the secrets that sign and seal: the configured ones, or else the installation's own. */
export async function findSecrets(
  sources: SecretSources,
  database: Database,
): Promise<FoundSecrets | undefined> {
  const [current, ...older] = sources.secrets;
  if (current !== undefined) return { secrets: [current, ...older], place: 'DARKROOM_SECRET' };
  return findOwnSecret(sources, database);
}

/** Finds the generated secret in PostgreSQL, or next to the SQLite file, where all processes can read it. */
export async function findOwnSecret(
  { dataDir }: Pick<SecretSources, 'dataDir'>,
  database: Database,
): Promise<FoundSecrets | undefined> {
  const file = fileOf(dataDir);
  const isInDatabase = database.kind === 'postgres';
  const secret = isInDatabase ? await readSetting(database.read, setting) : await read(file);
  return secret ? { secrets: [secret], place: isInDatabase ? 'The setting "secret"' : file } : undefined;
}

/** Creates the secret once. Several processes that start together all get the same one. */
export async function makeSecret(sources: SecretSources, database: Database): Promise<FoundSecrets> {
  if (database.kind === 'postgres') await database.transaction((tx) => claimSetting(tx, setting, newToken()));
  else {
    const file = fileOf(sources.dataDir);
    await makeFolder(dirname(file));
    await writeIfAbsent(file, newToken());
  }
  const made = await findOwnSecret(sources, database);
  if (!made) throw new SettingError(`${fileOf(sources.dataDir)} is empty: remove it, and a secret is made.`);
  return made;
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'secret');
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
