import { type Selectable, sql } from 'kysely';
import type { Database } from '../../../base/db/database.ts';
import { isAnyOf, nowMs, rowsOf } from '../../../base/db/rows.ts';
import type { Queries, SigningSecretsTable, Tx } from '../../../base/db/schema.ts';
import type { Sealer } from '../../../base/std/sealer.ts';
import { isSigningSecret, makeSigningSecret } from '../sign-request.ts';

export interface SigningSecret {
  /** The id of an endpoint, or of an account, which signs for its default endpoint and for `callback_url`s. */
  ownerId: string;
  /** Null if no configured `DARKROOM_SECRET` decrypts it. */
  secret: string | null;
  createdAt: number;
  /** Null for the current secret. */
  expiresAt: number | null;
}

// The maximum number of secrets that sign after several rotations in a day. It keeps the signature header small.
const maxSecrets = 4;

/** Returns each owner's secrets, the current one first. Creates one for an owner that has none. */
export async function ensureSecrets(
  tx: Tx,
  sealer: Sealer,
  ownerIds: readonly string[],
): Promise<Map<string, string[]>> {
  const known = Map.groupBy(await listSecrets(tx, sealer, ownerIds), ({ ownerId }) => ownerId);
  const secrets = new Map<string, string[]>();
  for (const ownerId of ownerIds) {
    const own = known.get(ownerId) ?? [await insertSecretIfNone(tx, sealer, ownerId)];
    secrets.set(ownerId, signingSecrets(own));
  }
  return secrets;
}

/** Returns the secrets to sign with. `own` must have the order of `listSecrets`. */
export function signingSecrets(own: readonly SigningSecret[]): string[] {
  return own.slice(0, maxSecrets).flatMap(({ secret }) => secret ?? []);
}

/** Lists the secrets that have not expired, newest first. */
export async function listSecrets(
  queries: Queries,
  sealer: Sealer,
  ownerIds: readonly string[],
): Promise<SigningSecret[]> {
  const rows = await queries
    .selectFrom('signing_secrets')
    .selectAll()
    .where(isAnyOf(queries, 'owner_id', ownerIds, 'uuid'))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
    .orderBy(sql`expires_at is null`, 'desc')
    .orderBy('created_at', 'desc')
    .execute();
  return rows.map((row) => toSecret(row, sealer));
}

/** The old secret still signs for `overlapMs`. */
export async function replaceSecret(
  tx: Tx,
  sealer: Sealer,
  ownerId: string,
  overlapMs: number,
): Promise<void> {
  await tx
    .deleteFrom('signing_secrets')
    .where('owner_id', '=', ownerId)
    .where('expires_at', '<=', nowMs)
    .execute();
  const end = sql<number>`${nowMs} + ${sql.lit(overlapMs)}`;
  await tx
    .updateTable('signing_secrets')
    // Without an overlap, secrets of earlier rotations expire now too.
    .set({ expires_at: overlapMs > 0 ? sql<number>`coalesce(expires_at, ${end})` : nowMs })
    .where('owner_id', '=', ownerId)
    .execute();
  await insertSecretIfNone(tx, sealer, ownerId);
}

export async function replaceText(tx: Tx, sealer: Sealer, ownerId: string, text: string): Promise<void> {
  await deleteSecretsOf(tx, ownerId);
  const secret = sealer.seal(text, ownerId);
  await tx.insertInto('signing_secrets').values({ secret, owner_id: ownerId, created_at: nowMs }).execute();
}

export async function deleteSecretsOf(tx: Tx, ownerId: string): Promise<void> {
  await tx.deleteFrom('signing_secrets').where('owner_id', '=', ownerId).execute();
}

export async function renewSeals(
  database: Database,
  sealer: Sealer,
): Promise<{ renewed: number; unreadable: number }> {
  const rows = await database.read
    .selectFrom('signing_secrets')
    .selectAll()
    .where('secret', 'not like', `${sealer.currentPrefix}%`)
    .execute();
  const fresh = rows.flatMap((row) => {
    const { secret } = toSecret(row, sealer);
    return secret === null ? [] : [{ before: row.secret, after: sealer.seal(secret, row.owner_id) }];
  });
  for (let from = 0; from < fresh.length; from += renewedAtOnce) {
    await database.transaction((tx) => {
      const some = rowsOf(tx, { before: 'text', after: 'text' }, fresh.slice(from, from + renewedAtOnce));
      return sql`update signing_secrets set secret = fresh.after from ${some} as fresh
        where secret = fresh.before`.execute(tx);
    });
  }
  return { renewed: fresh.length, unreadable: rows.length - fresh.length };
}

/** @param owner the owner's column: `account_id` in schemas from before accounts had several endpoints */
export async function countSecrets(
  queries: Queries,
  sealer: Sealer,
  owner: 'owner_id' | 'account_id',
): Promise<{ readable: number; unreadable: number }> {
  const rows = await queries
    .selectFrom('signing_secrets')
    .select(['secret', sql.ref<string>(owner).as('owner_id')])
    .execute();
  const sealed = rows.filter(({ secret }) => !isSigningSecret(secret));
  const readable = sealed.filter((row) => openSecret(row, sealer) !== null).length;
  return { readable, unreadable: sealed.length - readable };
}

const renewedAtOnce = 500;

/** If another process inserts a secret first, that secret stays. */
async function insertSecretIfNone(tx: Tx, sealer: Sealer, ownerId: string): Promise<SigningSecret> {
  await tx
    .insertInto('signing_secrets')
    .values({
      secret: sealer.seal(makeSigningSecret(), ownerId),
      owner_id: ownerId,
      created_at: nowMs,
    })
    .onConflict((conflict) => conflict.column('owner_id').where('expires_at', 'is', null).doNothing())
    .execute();
  const row = await tx
    .selectFrom('signing_secrets')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('expires_at', 'is', null)
    .executeTakeFirstOrThrow();
  return toSecret(row, sealer);
}

function toSecret(row: Selectable<SigningSecretsTable>, sealer: Sealer): SigningSecret {
  return {
    ownerId: row.owner_id,
    secret: openSecret(row, sealer),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

type Sealed = Pick<Selectable<SigningSecretsTable>, 'secret' | 'owner_id'>;

function openSecret({ secret, owner_id: ownerId }: Sealed, sealer: Sealer): string | null {
  // The first versions stored secrets in clear text. The next start seals them.
  return isSigningSecret(secret) ? secret : (sealer.open(secret, ownerId) ?? null);
}
