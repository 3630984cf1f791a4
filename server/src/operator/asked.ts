import { accountOf } from '../accounts/account-of.ts';
import type { Asked } from '../api/account-call.ts';
import { ownerOfKey } from '../api/nouns/keys/key-calls.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';

/** What a call about an account, given by id or by name, is asked by a command. @throws AppError `not_found` */
export async function askedOf<Body>(
  { read }: Database,
  by: Actor,
  { account, body }: { account: string; body: Body },
): Promise<Omit<Asked, 'body'> & { body: Body }> {
  const { id: accountId } = await accountOf(read, account);
  return { accountId, by, may: () => true, params: {}, query: {}, body };
}

/** What a call about an API key is asked by a command. @throws AppError `not_found` */
export async function askedOfKey<Body>(
  { read }: Database,
  by: Actor,
  { keyId, body }: { keyId: string; body: Body },
): Promise<Omit<Asked, 'body' | 'params'> & { body: Body; params: { key_id: string } }> {
  const params = { key_id: keyId };
  return { accountId: await ownerOfKey(read, params), by, may: () => true, params, query: {}, body };
}
