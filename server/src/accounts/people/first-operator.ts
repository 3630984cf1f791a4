import type { Database } from '../../db/database.ts';
import { claimSetting, readSetting } from '../../db/settings-store.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../std/clock.ts';
import { newId } from '../../std/ids.ts';
import { type Actor, commandLine, insertAuditEntry } from '../audit-store.ts';
import { spellEmail } from './email.ts';
import { useUpLinksOf } from './link-store.ts';
import { type MadeLink, makeLink } from './panel-link.ts';
import { findPersonByEmail, hasEverSignedIn, insertOperator, insertPersonIfNew } from './people-store.ts';

const setting = 'first_operator';

/** Makes the first operator, once, and a new link at every start until they have used one. */
export async function ensureFirstLink(deps: { database: Database; clock: Clock }): Promise<MadeLink | null> {
  const personId = await ensureFirstOperator(deps);
  if (await hasEverSignedIn(deps.database.read, personId)) return null;
  return deps.database.transaction((tx) => makeLink(tx, { kind: 'sign_in', personId }, commandLine));
}

/**
 * Makes a new link for the person with this e-mail, by default the first operator. Ends their earlier links.
 *
 * @throws AppError `not_found`
 */
export async function renewLink(
  deps: { database: Database; clock: Clock },
  { email }: { email?: string },
  by: Actor,
): Promise<MadeLink> {
  const personId =
    email === undefined ? await ensureFirstOperator(deps) : await personOf(deps.database, email);
  return deps.database.transaction(async (tx) => {
    await useUpLinksOf(tx, personId);
    const entry = { action: 'link.made', accountId: null, subject: personId, detail: {} };
    await insertAuditEntry(tx, by, entry);
    return makeLink(tx, { kind: 'sign_in', personId }, by);
  });
}

async function ensureFirstOperator({
  database,
  clock,
}: {
  database: Database;
  clock: Clock;
}): Promise<string> {
  const known = await readSetting(database.read, setting);
  if (known !== undefined) return known;
  const id = newId(clock.nowMs());
  await database.transaction(async (tx) => {
    if (!(await claimSetting(tx, setting, id))) return;
    await insertPersonIfNew(tx, { id, name: 'Operator', email: null, at: clock.nowMs() });
    await insertOperator(tx, id);
  });
  return (await readSetting(database.read, setting)) ?? id;
}

async function personOf(database: Database, email: string): Promise<string> {
  const person = await findPersonByEmail(database.read, spellEmail(email));
  if (!person) throw new AppError('not_found', `Nobody signs in as "${email}".`);
  return person.id;
}
