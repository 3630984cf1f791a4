import { insertEmail } from '../../accounts/people/outbox-store.ts';
import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { newId } from '../../base/std/ids.ts';
import { sendsEmails } from '../webhooks/mail/email-store.ts';
import { presentMarginAlert } from './alerts-json.ts';
import type { MarginAlert } from './margin-alerts.ts';
import {
  findOperatorsWanting,
  insertToldMargins,
  isAnyMarginTold,
  keepToldMargins,
} from './told-margin-store.ts';

/** How long an alert must be absent to be sent again: a shorter absence may be due to a few images. */
const forgetAfterMs = 24 * 60 * 60_000;

/** Emails each alert once, and again after a day's absence. If no operator can receive it, no alert counts as sent. */
export async function tellMargins(
  database: Database,
  readAlerts: () => Promise<readonly MarginAlert[]>,
): Promise<void> {
  const { read } = database;
  if (!(await sendsEmails(read)) || (await findOperatorsWanting(read, 'margins')).length === 0) return;
  const standing = await readAlerts();
  if (standing.length === 0 && !(await isAnyMarginTold(read))) return;
  await database.transaction(async (tx) => {
    await keepToldMargins(tx, standing, forgetAfterMs);
    const operators = await findOperatorsWanting(tx, 'margins');
    const begun = operators.length === 0 ? [] : await insertToldMargins(tx, standing);
    if (begun.length === 0) return;
    const data = JSON.stringify(begun.map(presentMarginAlert));
    const at = await readNow(tx);
    for (const { personId, email } of operators)
      await insertEmail(tx, { id: newId(at), kind: 'margins', email, personId, data });
  });
}
