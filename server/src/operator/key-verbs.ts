import { accountOf } from '../accounts/account-of.ts';
import type { BodyOf } from '../api/account-call.ts';
import { type KeyCallDeps, keyCalls, listKeys } from '../api/nouns/keys/key-calls.ts';
import type { Actor } from '../audit/audit-store.ts';
import { askedOf, askedOfKey } from './asked.ts';

export interface KeyListQuery {
  account?: string;
  cursor?: string;
  limit?: number;
}

type KeyCalls = ReturnType<typeof keyCalls>;

const mostListed = 100;

/** API keys. */
export function keyVerbs(deps: KeyCallDeps, by: Actor) {
  const { database } = deps;
  const call = keyCalls(deps);
  return {
    async createKey(account: string, body: BodyOf<KeyCalls['create']> = {}) {
      return call.create.handle(await askedOf(database, by, { account, body }));
    },
    /** The newest first; of all accounts unless one is named. */
    async listKeys({ account, cursor, limit = mostListed }: KeyListQuery = {}) {
      const accountId = account === undefined ? undefined : (await accountOf(database.read, account)).id;
      return listKeys(deps, accountId, { limit: String(limit), ...(cursor !== undefined && { cursor }) });
    },
    changeKey: async (keyId: string, body: BodyOf<KeyCalls['change']>) =>
      call.change.handle(await askedOfKey(database, by, { keyId, body })),
    disableKey: async (keyId: string) =>
      call.disable.handle(await askedOfKey(database, by, { keyId, body: undefined })),
    /** A new key in the place of an old one, which works for `overlap` seconds more. */
    rollKey: async (keyId: string, body: BodyOf<KeyCalls['roll']> = {}) =>
      call.roll.handle(await askedOfKey(database, by, { keyId, body })),
  };
}
