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
import {
  findOperatorRole,
  hasEverSignedIn,
  insertOperator,
  insertPerson,
  listOperators,
} from './people-store.ts';

const setting = 'first_operator';

/** Creates the first operator once. Makes a new link at every start until one has been used or they were removed. */
export async function ensureFirstLink(deps: { database: Database; clock: Clock }): Promise<MadeLink | null> {
  const { read } = deps.database;
  const personId = await ensureFirstOperator(deps);
  if ((await hasEverSignedIn(read, personId)) || (await findOperatorRole(read, personId)) === null)
    return null;
  return deps.database.transaction((tx) => makeLink(tx, { kind: 'sign_in', personId }, commandLine));
}

/**
 * Makes a link, by default for the first operator or, once they were removed, for the oldest admin. Ends the person's
 * earlier links.
 * @throws AppError `not_found`
 */
export async function renewLink(
  deps: { database: Database; clock: Clock },
  { email }: { email?: string },
  by: Actor,
): Promise<MadeLink> {
  const personId = email === undefined ? await firstAdmin(deps) : await personOf(deps.database, email);
  return deps.database.transaction(async (tx) => {
    await useUpLinksOf(tx, personId);
    const entry = { action: 'link.made' as const, accountId: null, subject: personId, detail: {} };
    await insertAuditEntry(tx, by, entry);
    return makeLink(tx, { kind: 'sign_in', personId }, by);
  });
}

async function firstAdmin(deps: { database: Database; clock: Clock }): Promise<string> {
  const first = await ensureFirstOperator(deps);
  const admins = (await listOperators(deps.database.read)).filter(({ role }) => role === 'admin');
  const admin = admins.find(({ id }) => id === first) ?? admins[0];
  if (!admin) throw new AppError('not_found', 'There is no admin.');
  return admin.id;
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
