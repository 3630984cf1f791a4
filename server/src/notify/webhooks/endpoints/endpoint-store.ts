import { type Selectable, sql } from 'kysely';
import { assertHolds, isAnyOf, isFoundBy, nowMs, rowsOf } from '../../../base/db/rows.ts';
import type { EndpointsTable, Queries, Tx } from '../../../base/db/schema.ts';
import type { EventType } from '../event-types.ts';

export interface Endpoint {
  id: string;
  accountId: string;
  /** True for the endpoint that the API calls "the webhook", which signs with the account's own secret. */
  isDefault: boolean;
  url: string;
  /** The types of events that the endpoint gets; null for all. */
  events: EventType[] | null;
  createdAt: number;
  /** When the current series of failures began; null after a success. */
  failingSince: number | null;
  disabledAt: number | null;
  disabledReason: DisabledReason | null;
}

/** `gone` after an answer of 410; `failing` after days of failures; `manual` if a person disabled it. */
export type DisabledReason = 'gone' | 'failing' | 'manual';

/** The maximum number of endpoints per account, because each slows down the end of every job. */
export const maxEndpoints = 10;

/** Puts the default endpoint first, then the others in the order of their creation. */
export async function findEndpoints(queries: Queries, accountIds: readonly string[]): Promise<Endpoint[]> {
  const rows = await queries
    .selectFrom('endpoints')
    .selectAll()
    .where(isAnyOf(queries, 'account_id', accountIds, 'uuid'))
    .orderBy('is_default', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(toEndpoint);
}

export async function findEndpointsOfJobs(queries: Queries, jobIds: readonly string[]): Promise<Endpoint[]> {
  const accounts = sql`select account_id from jobs where ${isAnyOf(queries, 'id', jobIds, 'uuid')}`;
  const rows = await queries
    .selectFrom('endpoints')
    .selectAll()
    .where(sql<boolean>`account_id ${isFoundBy(queries, accounts)}`)
    .orderBy('is_default', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(toEndpoint);
}

/** Asserts that these locked accounts still have these endpoints, with everything that deliveries depend on. */
export async function assertSameEndpoints(
  tx: Tx,
  accountIds: readonly string[],
  endpoints: readonly Endpoint[],
): Promise<void> {
  const known = rowsOf(
    tx,
    { id: 'uuid', url: 'text', events: 'text', is_disabled: 'integer' },
    endpoints.map(({ id, url, events, disabledAt }) => ({
      id,
      url,
      events: events && JSON.stringify(events),
      is_disabled: disabledAt === null ? 0 : 1,
    })),
  );
  const same = sql`select count(*) from ${known} as known join endpoints on endpoints.id = known.id
    and endpoints.url = known.url and endpoints.events is not distinct from known.events
    and (endpoints.disabled_at is not null) = (known.is_disabled = 1)`;
  const all = sql`select count(*) from endpoints where ${isAnyOf(tx, 'account_id', accountIds, 'uuid')}`;
  const count = endpoints.length;
  await assertHolds(tx, count === 0 ? sql`(${all}) = 0` : sql`(${all}) = ${count} and (${same}) = ${count}`);
}

export async function findEndpoint(
  queries: Queries,
  accountId: string,
  endpointId?: string,
): Promise<Endpoint | undefined> {
  const all = await findEndpoints(queries, [accountId]);
  return all.find(isNamed(endpointId));
}

export const isNamed =
  (endpointId?: string) =>
  ({ id, isDefault }: Endpoint): boolean =>
    endpointId === undefined ? isDefault : id === endpointId;

export function secretOwnerOf({ id, accountId, isDefault }: Endpoint): string {
  return isDefault ? accountId : id;
}

export async function insertEndpoint(
  tx: Tx,
  {
    id,
    accountId,
    isDefault,
    url,
    events,
  }: Pick<Endpoint, 'id' | 'accountId' | 'isDefault' | 'url' | 'events'>,
): Promise<void> {
  await tx
    .insertInto('endpoints')
    .values({
      id,
      account_id: accountId,
      is_default: isDefault ? 1 : 0,
      url,
      events: events && JSON.stringify(events),
      created_at: nowMs,
    })
    .execute();
}

/**
 * Sets the URL. The endpoint then counts as new, without the failures of the old address, but stays disabled if a
 * person disabled it.
 */
export async function setEndpointUrl(tx: Tx, id: string, url: string): Promise<void> {
  await sql`update endpoints set url = ${url}, created_at = ${nowMs}, failing_since = null,
      disabled_at = case when disabled_reason = 'manual' then disabled_at end,
      disabled_reason = case when disabled_reason = 'manual' then disabled_reason end
    where id = ${id}`.execute(tx);
}

export async function setEndpointEvents(tx: Tx, id: string, events: EventType[] | null): Promise<void> {
  await tx
    .updateTable('endpoints')
    .set({ events: events && JSON.stringify(events) })
    .where('id', '=', id)
    .execute();
}

/** The caller deletes the endpoint's secrets and cancels its deliveries. */
export async function deleteEndpoint(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('endpoint_hours').where('endpoint_id', '=', id).execute();
  await tx.deleteFrom('endpoints').where('id', '=', id).execute();
}

export async function enableEndpoint(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('endpoints')
    .set({ disabled_at: null, disabled_reason: null, failing_since: null })
    .where('id', '=', id)
    .execute();
}

/** An endpoint, and the address that was called. The result says nothing about an address that it got since. */
export interface Tried {
  id: string;
  url: string;
}

/** Records successes and failures of endpoints. A success outweighs failures in the same batch. */
export async function noteHealth(
  tx: Tx,
  { well, failing }: { well: readonly Tried[]; failing: readonly Tried[] },
): Promise<void> {
  if (well.length > 0) {
    await sql`update endpoints set failing_since = null from ${triedRows(tx, well)} as tried
      where endpoints.id = tried.id and endpoints.url = tried.url and failing_since is not null`.execute(tx);
  }
  if (failing.length > 0) {
    await sql`update endpoints set failing_since = ${nowMs} from ${triedRows(tx, failing)} as tried
      where endpoints.id = tried.id and endpoints.url = tried.url and failing_since is null`.execute(tx);
  }
}

export async function findFailingFor(
  queries: Queries,
  tried: readonly Tried[],
  ms: number,
): Promise<Tried[]> {
  const { rows } = await sql<Tried>`select endpoints.id, endpoints.url
    from ${triedRows(queries, tried)} as tried
      join endpoints on endpoints.id = tried.id and endpoints.url = tried.url
    where failing_since <= ${nowMs} - ${sql.lit(ms)}`.execute(queries);
  return rows;
}

export async function findAccountsOf(queries: Queries, ids: readonly string[]): Promise<string[]> {
  const rows = await queries
    .selectFrom('endpoints')
    .select('account_id')
    .distinct()
    .where(isAnyOf(queries, 'id', ids, 'uuid'))
    .execute();
  return rows.map((row) => row.account_id);
}

/** Disables endpoints, and returns the ids of those that were not disabled before. */
export async function disableEndpoints(
  tx: Tx,
  tried: readonly Tried[],
  reason: DisabledReason,
): Promise<string[]> {
  if (tried.length === 0) return [];
  const { rows } = await sql<{ id: string }>`update endpoints
    set disabled_at = ${nowMs}, disabled_reason = ${reason} from ${triedRows(tx, tried)} as tried
    where endpoints.id = tried.id and endpoints.url = tried.url and disabled_at is null
    returning endpoints.id`.execute(tx);
  return rows.map(({ id }) => id);
}

function triedRows(queries: Queries, tried: readonly Tried[]) {
  return rowsOf(
    queries,
    { id: 'uuid', url: 'text' },
    tried.map(({ id, url }) => ({ id, url })),
  );
}

function toEndpoint(row: Selectable<EndpointsTable>): Endpoint {
  return {
    id: row.id,
    accountId: row.account_id,
    isDefault: row.is_default === 1,
    url: row.url,
    events: row.events === null ? null : (JSON.parse(row.events) as EventType[]), // only this file writes it
    createdAt: row.created_at,
    failingSince: row.failing_since,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
  };
}
