import { sql } from 'kysely';
import { isAnyOf, nowMs, rowsOf } from '../base/db/rows.ts';
import type { Queries, Tx } from '../base/db/schema.ts';
import { type Limit, type Payer, rateMeters } from '../money/limits/limit.ts';
import { readLimits } from '../money/limits/limit-store.ts';
import type { ModelId } from '../upstream/catalog/models.ts';

export interface ApiKey {
  id: string;
  accountId: string;
  name: string;
  hint: string;
  /** Null if the key may use every model. */
  models: ModelId[] | null;
  createdAt: number;
  expiresAt: number | null;
  disabledAt: number | null;
  lastUsedAt: number | null;
  lastUsedAddress: string | null;
  /** CIDR blocks that may use the key; null for all. */
  networks: readonly string[] | null;
  /** The rate limits of the key and its account, set when a request is authenticated. */
  rates?: readonly Limit[];
  /** Set if the request used a client token of this key. Then `models` and the expiry are the token's. */
  clientToken?: ClientToken;
}

export function payerOf({ id, accountId, clientToken }: ApiKey): Payer {
  return { accountId, keyId: id, clientTokenId: clientToken?.id ?? null };
}

/** A browser's substitute for a key, valid for at most an hour. */
export interface ClientToken {
  id: string;
  /** The only origin whose pages may use the token; null if any page may. */
  origin: string | null;
}

export interface NewApiKey {
  id: string;
  accountId: string;
  name: string;
  hash: string;
  hint: string;
  models: ModelId[] | null;
  expiresAt: number | null;
  networks: readonly string[] | null;
}

const columns = [
  'id',
  'account_id',
  'name',
  'hint',
  'models',
  'created_at',
  'expires_at',
  'disabled_at',
  'last_used_at',
  'last_used_address',
  'networks',
] as const;

export async function insertKey(tx: Tx, key: NewApiKey): Promise<void> {
  await tx
    .insertInto('api_keys')
    .values({
      id: key.id,
      account_id: key.accountId,
      name: key.name,
      hash: key.hash,
      hint: key.hint,
      models: key.models && JSON.stringify(key.models),
      created_at: nowMs,
      expires_at: key.expiresAt,
      networks: key.networks && JSON.stringify(key.networks),
    })
    .execute();
}

/** Finds keys in the order of the hashes, undefined for an unknown hash. Keys of a disabled account are disabled. */
export async function findKeysByHash(
  queries: Queries,
  hashes: readonly string[],
): Promise<(ApiKey | undefined)[]> {
  const rows = await selectWithAccount(queries)
    .select('api_keys.hash')
    .where(isAnyOf(queries, 'hash', hashes, 'text'))
    .execute();
  const byHash = new Map(rows.map((row) => [row.hash, toKey(row)]));
  await addRates(queries, [...byHash.values()]);
  return hashes.map((hash) => byHash.get(hash));
}

/** Finds keys by their client tokens, with only the rights of the token. */
export async function findKeysByToken(
  queries: Queries,
  hashes: readonly string[],
): Promise<(ApiKey | undefined)[]> {
  const rows = await selectWithAccount(queries)
    .innerJoin('client_tokens', 'client_tokens.key_id', 'api_keys.id')
    .select([
      'client_tokens.hash',
      'client_tokens.id as token_id',
      'client_tokens.models as token_models',
      'client_tokens.origin',
      'client_tokens.expires_at as token_expires_at',
    ])
    .where(isAnyOf(queries, 'client_tokens.hash', hashes, 'text'))
    .execute();
  const byHash = new Map(
    rows.map((row): [string, ApiKey] => [
      row.hash,
      {
        ...toKey({
          ...row,
          models: row.token_models,
          expires_at: earlier(row.expires_at, row.token_expires_at),
        }),
        clientToken: { id: row.token_id, origin: row.origin },
      },
    ]),
  );
  await addRates(queries, [...byHash.values()]);
  return hashes.map((hash) => byHash.get(hash));
}

async function addRates(queries: Queries, keys: readonly ApiKey[]): Promise<void> {
  const limits = await readLimits(
    queries,
    keys.flatMap(({ id, accountId }) => [id, accountId]),
    rateMeters,
  );
  for (const key of keys) {
    // Sorts the account's limits before the key's, because the database returns them in any order.
    const of = (id: string) => limits.filter(({ subject }) => subject.id === id);
    key.rates = [...of(key.accountId), ...of(key.id)];
  }
}

function selectWithAccount(queries: Queries) {
  return queries
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(columns.map((column) => `api_keys.${column}` as const))
    .select((eb) => eb.fn.coalesce('api_keys.disabled_at', 'accounts.disabled_at').as('disabled_at'));
}

/** Returns the earlier expiry, because a rolled key may end before its tokens. */
function earlier(keyEndsAt: number | null, tokenEndsAt: number): number {
  return keyEndsAt === null ? tokenEndsAt : Math.min(keyEndsAt, tokenEndsAt);
}

export function listKeys(queries: Queries, accountId: string): Promise<ApiKey[]> {
  return listKeyPage(queries, { accountId });
}

/** Lists keys, newest first, by default those of all accounts. */
export async function listKeyPage(
  queries: Queries,
  {
    accountId,
    before,
    limit,
  }: { accountId?: string | undefined; before?: string | undefined; limit?: number },
): Promise<ApiKey[]> {
  const rows = await queries
    .selectFrom('api_keys')
    .select(columns)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute();
  return rows.map(toKey);
}

export async function findKey(queries: Queries, keyId: string): Promise<ApiKey | undefined> {
  const row = await queries.selectFrom('api_keys').select(columns).where('id', '=', keyId).executeTakeFirst();
  return row && toKey(row);
}

/** Returns false for a key that already has a successor. */
export async function noteSuccessorIfFirst(tx: Tx, keyId: string, successor: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('api_keys')
    .set({ rolled_to: successor })
    .where('id', '=', keyId)
    .where('rolled_to', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a key at this time, unless it expires sooner. The end counts as announced, because a person chose it. */
export async function endKeyAt(tx: Tx, keyId: string, endsAt: number): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set({ expires_at: endsAt, expiry_told_at: nowMs })
    .where('id', '=', keyId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', endsAt)]))
    .execute();
}

export async function endKeyNow(tx: Tx, keyId: string): Promise<boolean> {
  const result = await tx
    .updateTable('api_keys')
    .set({ disabled_at: nowMs })
    .where('id', '=', keyId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function setNetworks(tx: Tx, keyId: string, networks: readonly string[] | null): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set({ networks: networks && JSON.stringify(networks) })
    .where('id', '=', keyId)
    .execute();
}

/** Finds an account with keys whose expiry is near and not announced yet. */
export async function findAccountOfExpiring(queries: Queries, withinMs: number): Promise<string | undefined> {
  const { rows } = await sql<{ account_id: string }>`
    select account_id from api_keys where ${endsSoon(withinMs)} order by expires_at limit 1`.execute(queries);
  return rows[0]?.account_id;
}

/** Marks the expiry of these keys as announced. Returns the keys, earliest expiry first. */
export async function markExpiryTold(
  tx: Tx,
  { accountId, withinMs, limit }: { accountId: string; withinMs: number; limit: number },
): Promise<ApiKey[]> {
  const { rows } = await sql<KeyRow>`update api_keys set expiry_told_at = ${nowMs}
    where id in (select id from api_keys where account_id = ${accountId} and ${endsSoon(withinMs)}
      order by expires_at limit ${sql.lit(limit)})
    returning ${sql.join(columns.map((name) => sql.ref(name)))}`.execute(tx);
  return rows.map(toKey).sort((one, other) => (one.expiresAt ?? 0) - (other.expiresAt ?? 0));
}

/** Enabled keys that expire within this time, except those whose whole lifetime is no longer than that. */
function endsSoon(withinMs: number) {
  return sql<boolean>`expires_at is not null and expiry_told_at is null
    and expires_at > ${nowMs} and expires_at <= ${nowMs} + ${sql.lit(withinMs)}
    and expires_at - created_at > ${sql.lit(withinMs)} and disabled_at is null
    and account_id in (select id from accounts where disabled_at is null and erased_at is null)`;
}

export interface KeyUse {
  id: string;
  at: number;
  address: string | null;
}

/** Updates keys in the order of their ids, so that processes with the same keys cannot deadlock. */
export async function touchKeys(tx: Tx, used: readonly KeyUse[]): Promise<void> {
  const touched = rowsOf(
    tx,
    { id: 'uuid', at: 'integer', address: 'text' },
    used.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  );
  await tx
    .updateTable('api_keys')
    .from(touched.as('touched'))
    .set((eb) => ({ last_used_at: eb.ref('touched.at'), last_used_address: eb.ref('touched.address') }))
    .whereRef('api_keys.id', '=', 'touched.id')
    .execute();
}

interface KeyRow {
  id: string;
  account_id: string;
  name: string;
  hint: string;
  models: string | null;
  created_at: number;
  expires_at: number | null;
  disabled_at: number | null;
  last_used_at: number | null;
  last_used_address: string | null;
  networks: string | null;
}

function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    hint: row.hint,
    models: row.models === null ? null : (JSON.parse(row.models) as ModelId[]), // only insertKey writes the column
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    disabledAt: row.disabled_at,
    lastUsedAt: row.last_used_at,
    lastUsedAddress: row.last_used_address,
    networks: row.networks === null ? null : (JSON.parse(row.networks) as string[]), // as above
  };
}
