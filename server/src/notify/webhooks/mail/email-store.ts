import { sql } from 'kysely';
import type { EmailTopic } from '../../../accounts/people/email-topics.ts';
import type { Database } from '../../../base/db/database.ts';
import { isAnyOf } from '../../../base/db/rows.ts';
import type { Queries } from '../../../base/db/schema.ts';
import { readSetting, writeSetting } from '../../../base/db/settings-store.ts';

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
