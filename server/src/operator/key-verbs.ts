import { accountOf } from '../accounts/account-of.ts';
import type { BodyOf } from '../api/account-call.ts';
import { type KeyCallDeps, keyCalls, listKeys, ownerOfKey } from '../api/nouns/keys/key-calls.ts';
import type { Actor } from '../audit/audit-store.ts';

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
  const asked = { by, may: () => true, query: {} };
  const ofKey = async (keyId: string) => {
    const params = { key_id: keyId };
    return { ...asked, params, accountId: await ownerOfKey(database.read, params) };
  };
  return {
    async createKey(account: string, body: BodyOf<KeyCalls['create']> = {}) {
      const { id: accountId } = await accountOf(database.read, account);
      return call.create.handle({ ...asked, accountId, params: {}, body });
    },
    /** The newest first; of all accounts unless one is named. */
    async listKeys({ account, cursor, limit = mostListed }: KeyListQuery = {}) {
      const accountId = account === undefined ? undefined : (await accountOf(database.read, account)).id;
      return listKeys(deps, accountId, { limit: String(limit), ...(cursor !== undefined && { cursor }) });
    },
    changeKey: async (keyId: string, body: BodyOf<KeyCalls['change']>) =>
      call.change.handle({ ...(await ofKey(keyId)), body }),
    disableKey: async (keyId: string) => call.disable.handle({ ...(await ofKey(keyId)), body: undefined }),
    /** A new key in the place of an old one, which works for `overlap` seconds more. */
    rollKey: async (keyId: string, body: BodyOf<KeyCalls['roll']> = {}) =>
      call.roll.handle({ ...(await ofKey(keyId)), body }),
  };
}
