import { sql } from 'kysely';
import { isAnyOf, nowMs } from '../db/rows.ts';
import type { Queries, Tx } from '../db/schema.ts';
import { makeSigningSecret } from './sign-webhook.ts';

export interface SigningSecret {
  accountId: string;
  secret: string;
  createdAt: number;
  /** Null for the current one. */
  expiresAt: number | null;
}

// Several rotations in a day leave several secrets; the header with their signatures must stay small.
const maxSecrets = 4;

/** The secrets of these accounts that sign now, the current one first. Accounts without one get one. */
export async function ensureSecrets(tx: Tx, accountIds: readonly string[]): Promise<Map<string, string[]>> {
  const known = await findSecrets(tx, accountIds);
  for (const accountId of accountIds) {
    if (!known.has(accountId)) known.set(accountId, [await insertSecretIfNone(tx, accountId)]);
  }
  return known;
}

/** Without making any. */
export async function findSecrets(
  queries: Queries,
  accountIds: readonly string[],
): Promise<Map<string, string[]>> {
  const secrets = await listSecrets(queries, accountIds);
  const byAccount = Map.groupBy(secrets, ({ accountId }) => accountId);
  return new Map(
    [...byAccount].map(([accountId, list]) => [
      accountId,
      list.slice(0, maxSecrets).map(({ secret }) => secret),
    ]),
  );
}

/** Newest first, without those that are over. */
export async function listSecrets(queries: Queries, accountIds: readonly string[]): Promise<SigningSecret[]> {
  const rows = await queries
    .selectFrom('signing_secrets')
    .selectAll()
    .where(isAnyOf(queries, 'account_id', accountIds, 'uuid'))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
    .orderBy(sql`expires_at is null`, 'desc')
    .orderBy('created_at', 'desc')
    .execute();
  return rows.map((row) => ({
    accountId: row.account_id,
    secret: row.secret,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }));
}

/** Puts a new secret in the place of the current one, which goes on signing for `overlapMs`. */
export async function replaceSecret(tx: Tx, accountId: string, overlapMs: number): Promise<string> {
  await tx
    .deleteFrom('signing_secrets')
    .where('account_id', '=', accountId)
    .where('expires_at', '<=', nowMs)
    .execute();
  const end = sql<number>`${nowMs} + ${sql.lit(overlapMs)}`;
  await tx
    .updateTable('signing_secrets')
    // Without an overlap, those of earlier rotations end as well.
    .set({ expires_at: overlapMs > 0 ? sql<number>`coalesce(expires_at, ${end})` : nowMs })
    .where('account_id', '=', accountId)
    .execute();
  return insertSecretIfNone(tx, accountId);
}

/** Another process may make one at the same moment: then that is the one. */
async function insertSecretIfNone(tx: Tx, accountId: string): Promise<string> {
  await tx
    .insertInto('signing_secrets')
    .values({ secret: makeSigningSecret(), account_id: accountId, created_at: nowMs })
    .onConflict((conflict) => conflict.column('account_id').where('expires_at', 'is', null).doNothing())
    .execute();
  const row = await tx
    .selectFrom('signing_secrets')
    .select('secret')
    .where('account_id', '=', accountId)
    .where('expires_at', 'is', null)
    .executeTakeFirstOrThrow();
  return row.secret;
}
