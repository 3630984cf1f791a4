import { sql } from 'kysely';
import type { EmailTopic } from '../../../accounts/people/email-topics.ts';
import type { Database } from '../../../base/db/database.ts';
import { isAnyOf, nowMs, rowsOf } from '../../../base/db/rows.ts';
import type { Queries, Tx } from '../../../base/db/schema.ts';
import { readSetting, writeSetting } from '../../../base/db/settings-store.ts';
import type { CancelReason } from '../delivery.ts';
import { type EventType, topicOf } from '../event-types.ts';
import { mailTarget } from './mail-target.ts';

// This setting is in the database, because the processes that end jobs may not be those that send emails.
const name = 'mail';

export async function noteMail({ read, transaction }: Database, isOn: boolean): Promise<void> {
  const value = isOn ? 'on' : 'off';
  if ((await sendsEmails(read)) !== isOn) await transaction((tx) => writeSetting(tx, name, value));
}

export async function sendsEmails(queries: Queries): Promise<boolean> {
  return (await readSetting(queries, name)) === 'on';
}

/** Finds the confirmed addresses of owners and of members who manage billing. Finds none while emails are off. */
export async function findRecipients(
  queries: Queries,
  accountIds: readonly string[],
  topic: EmailTopic | null,
): Promise<{ accountId: string; email: string }[]> {
  const { rows } = await sql<{ accountId: string; email: string }>`
    select members.account_id as "accountId", people.email
    from members join people on people.id = members.person_id
    where ${isAnyOf(queries, 'members.account_id', accountIds, 'uuid')}
      and members.role in ('owner', 'billing')
      and people.email_verified = 1
      and not exists (select 1 from email_opt_outs where person_id = people.id and topic = ${topic ?? ''})
      and exists (select 1 from settings where name = ${name} and value = 'on')
    order by people.email`.execute(queries);
  return rows;
}

/**
 * Cancels those of these waiting deliveries that are emails to people who would no longer receive them. Returns their
 * ids. Cancels none while emails are off, because then nobody would receive any.
 */
export async function cancelUnwanted(tx: Tx, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0 || !(await sendsEmails(tx))) return [];
  const due = idsOf(tx, ids);
  const { rows: emails } = await sql<Email>`
    select deliveries.id, deliveries.account_id as "accountId", deliveries.url, events.type
    from ${due} as due join deliveries on deliveries.id = due.id join events on events.id = deliveries.event_id
    where deliveries.endpoint_id is null and deliveries.url like 'mailto:%'`.execute(tx);
  const unwanted: number[] = [];
  for (const [topic, of] of Map.groupBy(emails, ({ type }) => topicOf(type))) {
    const accountIds = [...new Set(of.map(({ accountId }) => accountId))];
    const recipients = await findRecipients(tx, accountIds, topic);
    const wanted = new Set(recipients.map(({ accountId, email }) => `${accountId} ${mailTarget(email)}`));
    for (const { id, accountId, url } of of) if (!wanted.has(`${accountId} ${url}`)) unwanted.push(id);
  }
  if (unwanted.length === 0) return [];
  const failure: CancelReason = 'email_unwanted';
  await sql`update deliveries set status = 'cancelled', failure = ${failure}, ended_at = ${nowMs}
    from ${idsOf(tx, unwanted)} as unwanted
    where deliveries.id = unwanted.id and deliveries.status = 'pending' and deliveries.worker is null`.execute(
    tx,
  );
  return unwanted;
}

interface Email {
  id: number;
  accountId: string;
  url: string;
  type: EventType;
}

function idsOf(tx: Tx, ids: readonly number[]) {
  return rowsOf(
    tx,
    { id: 'integer' },
    ids.map((id) => ({ id })),
  );
}
