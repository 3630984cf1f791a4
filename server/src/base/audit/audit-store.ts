import { sql } from 'kysely';
import { nowMs, readNow } from '../db/rows.ts';
import type { AuditLogTable, Queries, Tx } from '../db/schema.ts';
import type { AuditAction } from './audit-actions.ts';

export interface AuditEntry {
  action: AuditAction;
  accountId: string | null;
  /** The id of the changed key, model or person. */
  subject: string | null;
  /** Amounts and reasons, but never a secret. */
  detail: Record<string, string | number | boolean | null>;
}

/** The kinds of actors. People and keys have names; the others are identified by their kind. */
export const actorKinds = [
  'person',
  'key',
  'admin_key',
  'command_line',
  'configuration_file',
  'darkroom',
  'policy',
  'payment_provider',
  'last_owner',
  'visitor',
  'other',
] as const;
export type ActorKind = (typeof actorKinds)[number];

/** Operations without an actor write no entry. */
export type Actor = {
  /** The English name, as in logs and files. */
  name: string;
  address?: string;
} & ({ personId: string; kind?: 'person' } | { personId: null; kind: Exclude<ActorKind, 'person'> });

const single = {
  command_line: 'the command line',
  configuration_file: 'the configuration file',
  darkroom: 'Darkroom',
  policy: 'the policy',
  last_owner: 'its last owner',
  visitor: 'a visitor',
} as const;

export function actorOf(kind: keyof typeof single): Actor {
  return { personId: null, kind, name: single[kind] };
}

export const commandLine = actorOf('command_line');

const ofKeys = { key: 'the key ', admin_key: 'the admin key ' } as const;

export function keyActor({ name, hint }: { name: string; hint: string }): Actor {
  return { personId: null, kind: 'key', name: `${ofKeys.key}${name} (${hint})` };
}

export function adminKeyActor({ name }: { name: string }, address: string): Actor {
  return { personId: null, kind: 'admin_key', name: `${ofKeys.admin_key}${name}`, address };
}

/** Derives an actor's kind from its name, for older entries, which store only the name. */
export function kindOfName(name: string): Exclude<ActorKind, 'person'> {
  for (const kind of ['admin_key', 'key'] as const) if (name.startsWith(ofKeys[kind])) return kind;
  for (const kind of Object.keys(single) as (keyof typeof single)[]) // it has no other keys
    if (name === single[kind]) return kind;
  return 'other';
}

/** An actor's name without the prefix of its kind; null for kinds whose actors all have one name. */
export function ownNameOf({ kind = 'person', name }: Pick<Actor, 'kind' | 'name'>): string | null {
  if (kind in single) return null;
  const before = kind === 'key' || kind === 'admin_key' ? ofKeys[kind] : '';
  return name.startsWith(before) ? name.slice(before.length) : name;
}

/** An entry as stored. Its action may be one that only earlier versions wrote. */
export interface WrittenAuditEntry extends Omit<AuditEntry, 'action'> {
  action: string;
  id: number;
  at: number;
  actor: Actor;
  accountName: string | null;
}

export interface AuditFilter {
  before?: number;
  accountId?: string;
  personId?: string;
  action?: string;
  /** The client's IP address, or a prefix of it, such as `10.1.`. */
  address?: string;
  /** Entries at or after this time. */
  fromMs?: number;
  /** Entries before this time. */
  toMs?: number;
  limit: number;
}

export async function insertAuditEntry(
  tx: Tx,
  actor: Actor,
  { action, accountId, subject, detail }: AuditEntry,
): Promise<void> {
  await tx
    .insertInto('audit_log')
    .values({
      at: nowMs,
      person_id: actor.personId,
      person_name: actor.name,
      actor_kind: actor.kind ?? 'person',
      action,
      account_id: accountId,
      subject,
      detail: JSON.stringify(detail),
      address: actor.address ?? null,
    })
    .execute();
}

export async function findLastAccount(
  queries: Queries,
  { personId, action }: { personId: string; action: string },
): Promise<string | null> {
  const row = await queries
    .selectFrom('audit_log')
    .select('account_id')
    .where('person_id', '=', personId)
    .where('action', '=', action)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.account_id ?? null;
}

export async function insertAuditEntryIfNew(tx: Tx, actor: Actor, entry: AuditEntry): Promise<void> {
  const known = await tx
    .selectFrom('audit_log')
    .select('id')
    .where('account_id', '=', entry.accountId)
    .where('action', '=', entry.action)
    .where('subject', '=', entry.subject)
    .executeTakeFirst();
  if (!known) await insertAuditEntry(tx, actor, entry);
}

/** Writes an entry unless the same person performed the same action a moment ago. */
export async function insertAuditEntryIfRare(
  tx: Tx,
  actor: Actor,
  entry: AuditEntry,
  withinMs: number,
): Promise<void> {
  const latest = await tx
    .selectFrom('audit_log')
    .select('at')
    .where('person_id', '=', actor.personId)
    .where('action', '=', entry.action)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!latest || latest.at < (await readNow(tx)) - withinMs) await insertAuditEntry(tx, actor, entry);
}

/** Newest first. */
export async function listAuditEntries(queries: Queries, filter: AuditFilter): Promise<WrittenAuditEntry[]> {
  const { before, accountId, personId, action, address = '', fromMs, toMs, limit } = filter;
  const rows = await queries
    .selectFrom('audit_log')
    .leftJoin('accounts', 'accounts.id', 'audit_log.account_id')
    .selectAll('audit_log')
    .select('accounts.name as account_name')
    .$if(before !== undefined, (query) => query.where('audit_log.id', '<', before ?? 0))
    .$if(accountId !== undefined, (query) => query.where('audit_log.account_id', '=', accountId ?? ''))
    .$if(personId !== undefined, (query) => query.where('audit_log.person_id', '=', personId ?? ''))
    .$if(action !== undefined, (query) => query.where('audit_log.action', '=', action ?? ''))
    .$if(address !== '', (query) =>
      query.where(sql<boolean>`substr(audit_log.address, 1, ${address.length}) = ${address}`),
    )
    .$if(fromMs !== undefined, (query) => query.where('audit_log.at', '>=', fromMs ?? 0))
    .$if(toMs !== undefined, (query) => query.where('audit_log.at', '<', toMs ?? 0))
    .orderBy('audit_log.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    actor: toActor(row),
    action: row.action,
    accountId: row.account_id,
    accountName: row.account_name,
    subject: row.subject,
    detail: JSON.parse(row.detail) as AuditEntry['detail'], // only insertAuditEntry writes it
  }));
}

function toActor(row: Pick<AuditLogTable, 'person_id' | 'person_name' | 'actor_kind' | 'address'>): Actor {
  const { person_id: personId, person_name: name, address } = row;
  const known = { name, ...(address !== null && { address }) };
  if (personId !== null) return { ...known, personId };
  // `insertAuditEntry` writes `person` only with an id, so this is another kind.
  const noted = row.actor_kind as Exclude<ActorKind, 'person'> | null;
  return { ...known, personId, kind: noted ?? kindOfName(name) };
}

export const isOfCommandLine = sql<boolean>`coalesce(actor_kind, person_name) in ('command_line', ${commandLine.name})`;

/** The filters' choices come from this many of the latest entries. */
const latest = 10_000;

export async function listAuditChoices(
  queries: Queries,
): Promise<{ people: { id: string; name: string }[]; actions: string[] }> {
  const rows = await queries
    .selectFrom((query) =>
      query
        .selectFrom('audit_log')
        .select(['person_id', 'person_name', 'action'])
        .orderBy('id', 'desc')
        .limit(latest)
        .as('latest'),
    )
    .select(['person_id', 'person_name', 'action'])
    .distinct()
    .execute();
  // Keeps one name for each person, who may have had several.
  const people = new Map(rows.map(({ person_id, person_name }) => [person_id, person_name]));
  people.delete(null);
  return {
    people: [...people]
      .map(([id, name]) => ({ id: id ?? '', name }))
      .sort((one, other) => one.name.localeCompare(other.name)),
    actions: [...new Set(rows.map(({ action }) => action))].sort(),
  };
}
