import { sql } from 'kysely';
import { isOfCommandLine } from '../../base/audit/audit-store.ts';
import { isLeased, isOfAccount, isWaiting } from '../../base/db/job-predicates.ts';
import { isAnyOf, nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { mailTarget } from '../../notify/webhooks/mail/mail-target.ts';

export async function listOpenJobs(queries: Queries, accountId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from jobs where ${isWaiting} and ${isOfAccount(accountId)}
    union all select id from jobs where ${isLeased} and ${isOfAccount(accountId)}`.execute(queries);
  return rows.map(({ id }) => id);
}

/** Lists accounts whose erasure has begun but not finished, which sets the `disabled_reason` to `erased`. */
export async function listBeingErased(queries: Queries): Promise<string[]> {
  const rows = await queries
    .selectFrom('accounts')
    .select('id')
    .where('erased_at', 'is not', null)
    .where('disabled_reason', 'is distinct from', erased)
    .execute();
  return rows.map(({ id }) => id);
}

/** Records that an operator is running an erasure now, perhaps one that began earlier. */
export async function noteErasing(tx: Tx, accountId: string): Promise<void> {
  await tx.updateTable('accounts').set({ erasing_since: nowMs }).where('id', '=', accountId).execute();
}

/**
 * Lists erasures that an operator began more than `patienceMs` ago, and erasures that began when the last owner left,
 * which no operator is running. Omits those that version 0.1.0 began, because an old process may still be running them.
 */
export async function listLeftErasures(queries: Queries, patienceMs: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts where ${isAnyOf(queries, 'id', await listBeingErased(queries), 'uuid')}
      and coalesce(erasing_since, 0) <= ${nowMs} - ${patienceMs}
    order by erased_at`.execute(queries);
  return rows.map(({ id }) => id);
}

export async function deleteUploadsOf(tx: Tx, accountId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`delete from uploads where id in (
    select id from uploads where account_id = ${accountId} limit ${sql.lit(limit)}) returning key`.execute(
    tx,
  );
  return rows.map(({ key }) => key);
}

export async function deleteDeliveriesOfAccount(tx: Tx, accountId: string, limit: number): Promise<number> {
  const result = await sql`delete from deliveries where id in (
    select id from deliveries where account_id = ${accountId} order by id limit ${sql.lit(limit)})`.execute(
    tx,
  );
  return Number(result.numAffectedRows);
}

/** Erases endpoints, links and invitations, with their secrets. Keys are disabled and lose their names, but stay. */
export async function eraseSettings(tx: Tx, accountId: string): Promise<void> {
  const ids = await tx.selectFrom('endpoints').select('id').where('account_id', '=', accountId).execute();
  const owners = [accountId, ...ids.map(({ id }) => id)];
  await sql`delete from signing_secrets where ${isAnyOf(tx, 'owner_id', owners, 'uuid')}`.execute(tx);
  await sql`delete from endpoint_hours where ${isAnyOf(tx, 'endpoint_id', owners, 'uuid')}`.execute(tx);
  const tables = [
    ...(['endpoints', 'shares', 'album_images', 'albums', 'panel_links'] as const),
    ...(['top_ups', 'payment_cards'] as const),
  ];
  for (const table of tables) await tx.deleteFrom(table).where('account_id', '=', accountId).execute();
  await sql`delete from client_tokens where key_id in (
    select id from api_keys where account_id = ${accountId})`.execute(tx);
  await sql`update api_keys set name = ${erased}, hint = '', networks = null, last_used_address = null,
      disabled_at = coalesce(disabled_at, ${nowMs})
    where account_id = ${accountId}`.execute(tx);
}

/** Deletes members. Operators, and members of other accounts, only leave the account. */
export async function eraseMembers(tx: Tx, accountId: string): Promise<void> {
  const { rows } = await sql<{
    id: string;
  }>`select person_id as id from members where account_id = ${accountId}
    and person_id not in (select person_id from operators)
    and person_id not in (select person_id from members where account_id <> ${accountId})`.execute(tx);
  const ids = rows.map(({ id }) => id);
  await erasePeople(tx, ids);
  await tx.deleteFrom('members').where('account_id', '=', accountId).execute();
}

const erased = 'erased';

/** Deletes people with all that belongs to them. Removes their names and addresses from the audit log. */
export async function erasePeople(tx: Tx, personIds: readonly string[]): Promise<void> {
  const byThem = isAnyOf(tx, 'person_id', personIds, 'uuid');
  await sql`update audit_log set person_name = ${erased}, address = null
    where ${byThem} and person_name <> ${erased}`.execute(tx);
  await sql`update audit_log set detail = '{}' where detail <> '{}'
    and (${isAnyOf(tx, 'subject', personIds, 'text')} or (${byThem} and detail like '%@%'))`.execute(tx);
  await sql`update shares set made_by = ${erased}
    where ${isAnyOf(tx, 'made_by_id', personIds, 'uuid')}`.execute(tx);
  // Older links have only the maker's name, not the id.
  const theirAccounts = sql`select account_id from members where ${byThem}`;
  await sql`update shares set made_by = ${erased} where account_id in (${theirAccounts}) and made_by_id is null
    and made_by in (select name from people where ${isAnyOf(tx, 'id', personIds, 'uuid')})`.execute(tx);
  await eraseEmailsTo(tx, personIds);
  await sql`delete from people where ${isAnyOf(tx, 'id', personIds, 'uuid')}`.execute(tx);
}

/** Deletes emails that wait to be sent, and those that were sent, because they hold the address. */
async function eraseEmailsTo(tx: Tx, personIds: readonly string[]): Promise<void> {
  // Emails went only to confirmed addresses.
  const { rows } = await sql<{ email: string }>`select email from people
    where ${isAnyOf(tx, 'id', personIds, 'uuid')} and email_verified = 1`.execute(tx);
  const urls = rows.map(({ email }) => mailTarget(email));
  if (urls.length === 0) return;
  await sql`delete from deliveries where endpoint_id is null and ${isAnyOf(tx, 'url', urls, 'text')}`.execute(
    tx,
  );
}

/**
 * Removes names and addresses from the account's audit log, except those of operators and the command line. Removes all
 * details.
 */
export async function eraseAudit(tx: Tx, accountId: string): Promise<void> {
  await sql`update audit_log set person_name = ${erased}, address = null, detail = '{}'
    where account_id = ${accountId}
      and (person_id is null or person_id not in (select person_id from operators))
      and person_name <> ${erased} and not ${isOfCommandLine}`.execute(tx);
  await sql`update audit_log set detail = '{}' where account_id = ${accountId} and detail <> '{}'`.execute(
    tx,
  );
}

export async function renameErased(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ name: `${erased} ${accountId}`, disabled_reason: erased })
    .where('id', '=', accountId)
    .execute();
}
