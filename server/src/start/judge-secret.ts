import type { Database } from '../base/db/database.ts';
import { readOwnSchema } from '../base/db/migrating/read-schema.ts';
import type { Config } from '../config/config.ts';
import {
  claimFingerprint,
  hasFingerprint,
  makeFingerprint,
  readFingerprint,
  writeFingerprint,
} from '../config/secret-fingerprint.ts';
import { type FoundSecrets, findOwnSecret, findSecrets, makeSecret } from '../config/secrets.ts';
import { SettingError } from '../errors.ts';
import { isEmpty, lookAtSealed, noSecret } from './sealed-things.ts';

type SecretConfig = Pick<Config, 'secrets' | 'dataDir'>;

export type SecretVerdict =
  | ({ is: 'right' } & FoundSecrets)
  /** No fingerprint is stored. The secrets open at least one sealed value, or nothing is sealed. */
  | ({ is: 'likely' } & FoundSecrets)
  /** There is no secret, and the database has no sealed values. */
  | { is: 'first' }
  | { is: 'wrong'; found: string; next: string };

/** Changes nothing. */
export async function judgeSecret(config: SecretConfig, database: Database): Promise<SecretVerdict> {
  const found = await findSecrets(config, database);
  const fingerprint = await readFingerprint(database.read);
  if (!found) {
    const hasSealed = fingerprint !== undefined || !isEmpty(await lookAtSealed(database, [noSecret]));
    if (!hasSealed) return { is: 'first' };
    // Another process may have created the secret since this one looked for it.
    const isThere = (await findSecrets(config, database)) !== undefined;
    return isThere ? judgeSecret(config, database) : { is: 'wrong', ...missing };
  }
  const { secrets, place } = found;
  if (fingerprint === undefined) {
    const sealed = await lookAtSealed(database, secrets);
    const isLikely = sealed.opened > 0 || isEmpty(sealed);
    return isLikely ? { is: 'likely', ...found } : { is: 'wrong', ...another(place) };
  }
  if (hasFingerprint(fingerprint, secrets)) return { is: 'right', ...found };
  const own = await findOwnSecret(config, database);
  const isOwn = own !== undefined && hasFingerprint(fingerprint, own.secrets);
  return { is: 'wrong', ...(isOwn ? ownInstead(place, own.place) : another(place)) };
}

/** Refuses a wrong secret before a start changes the schema. Changes nothing. @throws SettingError, DatabaseRefused */
export async function refuseWrongSecret(config: SecretConfig, database: Database): Promise<void> {
  if ((await readOwnSchema(database)) === 0) return;
  const verdict = await judgeSecret(config, database);
  if (verdict.is === 'wrong') throw refusal(verdict);
}

function refusal({ found, next }: { found: string; next: string }): SettingError {
  return new SettingError(`${found}. ${next}`);
}

/**
 * Returns the secrets, the current one first. Creates one for a new database, and records the fingerprint of `likely`
 * secrets.
 * @throws SettingError if the secret is missing or does not fit the database
 */
export async function openSecrets(config: SecretConfig, database: Database): Promise<readonly string[]> {
  const verdict = await judgeSecret(config, database);
  if (verdict.is === 'right') return verdict.secrets;
  if (verdict.is === 'wrong') throw refusal(verdict);
  if (verdict.is === 'first') {
    await makeSecret(config, database);
    return openSecrets(config, database);
  }
  const fingerprint = makeFingerprint(verdict.secrets[0]);
  if (await database.transaction((tx) => claimFingerprint(tx, fingerprint))) return verdict.secrets;
  return openSecrets(config, database); // another process was first, with the same secret or another
}

/** Records the current secret, after everything was sealed with it. Older secrets may then be removed. */
export async function noteCurrentSecret(
  database: Database,
  [current = '']: readonly string[],
): Promise<void> {
  const fingerprint = await readFingerprint(database.read);
  if (fingerprint !== undefined && hasFingerprint(fingerprint, [current])) return;
  const fresh = makeFingerprint(current);
  await database.transaction((tx) => writeFingerprint(tx, fresh));
}

const next =
  'Restore it, from your copy or from a backup; to add a new one, set DARKROOM_SECRET=NEW,OLD. ' +
  'If it is lost for good, stop all servers: `darkroom secret reset` shows what is lost with it, and continues without it.';
const missing = {
  found:
    'The secret of this database is missing: DARKROOM_SECRET is not set, and the installation has none of its own',
  next,
};

function another(place: string) {
  return { found: `${place} is not the secret of this database`, next };
}

function ownInstead(place: string, own: string) {
  return {
    found: `${place} is not the secret of this database, which uses the one that the installation generated`,
    next: `Set DARKROOM_SECRET=NEW,OLD with that one as OLD while values sealed with it are in use. It is here: ${own}.`,
  };
}
