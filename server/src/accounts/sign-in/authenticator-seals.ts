import type { Database } from '../../base/db/database.ts';
import type { Log } from '../../base/std/log.ts';
import { AppError } from '../../errors.ts';
import { type AuthKeys, deriveAuthKeys } from './auth-keys.ts';
import {
  listAuthenticators,
  replaceSealsIfUnchanged,
  type SealedAuthenticator,
} from './authenticator-store.ts';

/** Encrypts authenticators with the current key, and decrypts them with it or an older one. */
export interface AuthenticatorSeals {
  /** @throws AppError `authenticator_unreadable` if no key decrypts this person's authenticator */
  renew(personId: string): Promise<void>;
  /** Decrypts this person's authenticator, if any. @throws AppError `authenticator_unreadable` */
  read(personId: string): Promise<OpenAuthenticator | undefined>;
  seal(text: string): Promise<string>;
  /** Re-encrypts all authenticators, so that older secrets can be removed. */
  renewAll(): Promise<{ renewed: number; unreadable: number }>;
  count(): Promise<{ readable: number; unreadable: number }>;
}

export interface OpenAuthenticator {
  sealed: SealedAuthenticator;
  secret: string;
  backupCodes: string[];
  confirmed: boolean;
}

/** `changed`: another request changed the authenticator meanwhile. */
type Renewal = 'current' | 'renewed' | 'changed' | 'unreadable';

const maxTries = 3;

/** Re-encrypts all authenticators at startup, so that operators can drop older secrets. */
export async function openAuthenticatorSeals(
  secrets: readonly string[],
  database: Database,
  log: Log,
): Promise<AuthenticatorSeals> {
  const seals = createAuthenticatorSeals(database, deriveAuthKeys(secrets));
  const { renewed, unreadable } = await seals.renewAll();
  if (renewed > 0) log.info('authenticators.renewed', { authenticators: renewed });
  if (unreadable > 0) log.warn('authenticators.unreadable', { authenticators: unreadable });
  return seals;
}

export function createAuthenticatorSeals(database: Database, keys: AuthKeys): AuthenticatorSeals {
  async function renewOne(sealed: SealedAuthenticator): Promise<Renewal> {
    const secret = await open(sealed.secret, keys);
    const backupCodes = await open(sealed.backupCodes, keys);
    if (!secret || !backupCodes) return 'unreadable';
    if (secret.key === keys[0] && backupCodes.key === keys[0]) return 'current';
    const fresh = { secret: await seal(secret.text), backupCodes: await seal(backupCodes.text) };
    const replaced = await database.transaction((tx) => replaceSealsIfUnchanged(tx, sealed, fresh));
    return replaced ? 'renewed' : 'changed';
  }

  async function seal(text: string): Promise<string> {
    const { symmetricEncrypt } = await import('better-auth/crypto');
    return symmetricEncrypt({ key: keys[0], data: text });
  }

  return {
    seal,
    async renew(personId) {
      for (let attempt = 1; attempt <= maxTries; attempt++) {
        const renewals: Renewal[] = [];
        for (const sealed of await listAuthenticators(database.read, personId))
          renewals.push(await renewOne(sealed));
        if (renewals.includes('unreadable')) throw unreadable();
        if (!renewals.includes('changed')) return;
      }
    },
    async read(personId) {
      const [sealed] = await listAuthenticators(database.read, personId);
      if (!sealed) return undefined;
      const secret = await open(sealed.secret, keys);
      const backupCodes = await open(sealed.backupCodes, keys);
      if (!secret || !backupCodes) throw unreadable();
      const codes = JSON.parse(backupCodes.text) as string[]; // as the library writes them
      return { sealed, secret: secret.text, backupCodes: codes, confirmed: sealed.confirmed };
    },
    async count() {
      const all = await listAuthenticators(database.read);
      const opened = await Promise.all(all.map(({ secret }) => open(secret, keys)));
      const readable = opened.filter((text) => text !== undefined).length;
      return { readable, unreadable: all.length - readable };
    },
    async renewAll() {
      const count = { renewed: 0, unreadable: 0 };
      for (const sealed of await listAuthenticators(database.read)) {
        const renewal = await renewOne(sealed);
        if (renewal === 'renewed' || renewal === 'unreadable') count[renewal]++;
      }
      return count;
    },
  };
}

/** Decrypts a text. Returns it with its key; undefined if no key decrypts it. */
async function open(sealed: string, keys: AuthKeys): Promise<{ text: string; key: string } | undefined> {
  const { symmetricDecrypt } = await import('better-auth/crypto'); // loaded here, because few people need it
  for (const key of keys) {
    const text = await symmetricDecrypt({ key, data: sealed }).catch(() => undefined);
    if (text !== undefined) return { text, key };
  }
  return undefined;
}

function unreadable(): AppError {
  return new AppError(
    'authenticator_unreadable',
    'Your authenticator was set up under a secret that this installation no longer has. Ask an operator for ' +
      'a one-time link, open it, remove the authenticator in your profile and set it up again.',
  );
}
