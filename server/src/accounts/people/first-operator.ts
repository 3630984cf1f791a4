import { type Actor, commandLine, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { claimSetting, readSetting } from '../../base/db/settings-store.ts';
import type { Clock } from '../../base/std/clock.ts';
import { newId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { spellEmail } from './email.ts';
import { findPeopleByEmail } from './email-store.ts';
import { useUpLinksOf } from './link-store.ts';
import { type MadeLink, makeLink } from './panel-link.ts';
import { hasEverSignedIn, insertOperator, insertPerson } from './people-store.ts';

const setting = 'first_operator';

/** Creates the first operator once. Makes a new link at every start until one has been used. */
export async function ensureFirstLink(deps: { database: Database; clock: Clock }): Promise<MadeLink | null> {
  const personId = await ensureFirstOperator(deps);
  if (await hasEverSignedIn(deps.database.read, personId)) return null;
  return deps.database.transaction((tx) => makeLink(tx, { kind: 'sign_in', personId }, commandLine));
}

/** Makes a link, by default for the first operator. Ends the person's earlier links. @throws AppError `not_found` */
export async function renewLink(
  deps: { database: Database; clock: Clock },
  { email }: { email?: string },
  by: Actor,
): Promise<MadeLink> {
  const personId =
    email === undefined ? await ensureFirstOperator(deps) : await personOf(deps.database, email);
  return deps.database.transaction(async (tx) => {
    await useUpLinksOf(tx, personId);
    const entry = { action: 'link.made' as const, accountId: null, subject: personId, detail: {} };
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
    await insertPerson(tx, { id, name: 'Operator', email: null, at: clock.nowMs() });
    await insertOperator(tx, id);
  });
  return (await readSetting(database.read, setting)) ?? id;
}

async function personOf(database: Database, email: string): Promise<string> {
  const people = await findPeopleByEmail(database.read, spellEmail(email));
  const [first] = people;
  if (!first) throw new AppError('not_found', `Nobody signs in as "${email}".`);
  if (people.length > 1 && !first.emailConfirmed)
    throw new AppError(
      'invalid_request',
      `Several people claim the email "${email}". Confirm in the panel whose it is, then ask again.`,
    );
  return first.id;
}
