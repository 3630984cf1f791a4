import { insertAuditEntry } from '../../base/audit/audit-store.ts';
import { newId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { insertEmail } from '../people/outbox-store.ts';
import { insertPasskey, listPasskeys, lockOwner } from '../people/passkey-store.ts';
import { findPerson } from '../people/people-store.ts';
import { proveOneself } from '../sign-in/assert-oneself.ts';
import { assertStillOpen, type Viewer } from '../sign-in/sessions.ts';
import type { Browser } from '../sign-in/sign-in.ts';
import { type MadePasskey, offerNewPasskey, type PasskeyDeps, readNewPasskey } from './new-passkey.ts';
import { assertRelyingParty } from './relying-party.ts';

/** The maximum number of a person's passkeys, so that all fit on one page. */
const maxPasskeys = 20;

interface Who {
  viewer: Viewer;
  browser: Browser;
}

/**
 * @param installation the name that devices show beside the passkey
 * @throws AppError `sign_in_refused`, `too_many_requests`; `invalid_request` if passkeys cannot work or are too many
 */
export async function offerPasskey(
  deps: PasskeyDeps,
  { viewer, browser: { address } }: Who,
  { password, installation }: { password: string | undefined; installation: string },
) {
  const { database } = deps;
  assertRelyingParty(deps.publicUrl());
  await proveOneself(database, { viewer, address }, password);
  const known = await listPasskeys(database.read, viewer.personId);
  if (known.length >= maxPasskeys) throw tooMany();
  const person = await findPerson(database.read, viewer.personId);
  const { personId: who, name } = viewer;
  return offerNewPasskey(deps, { who, name, email: person?.email ?? name, known }, installation);
}

/** @throws AppError `sign_in_refused` for an answer to another offer; `invalid_request` if the passkey exists */
export async function addPasskey(
  deps: PasskeyDeps,
  { viewer, browser }: Who,
  made: MadePasskey,
): Promise<void> {
  const { database, clock } = deps;
  const { name } = made;
  const { personId } = viewer;
  const read = await readNewPasskey(deps, browser, { who: personId, made });
  const passkey = { id: newId(clock.nowMs()), personId, ...read };
  await database.transaction(async (tx) => {
    const email = await lockOwner(tx, personId);
    if ((await listPasskeys(tx, personId)).length >= maxPasskeys) throw tooMany();
    if (!(await insertPasskey(tx, passkey))) throw knownPasskey();
    await assertStillOpen(tx, viewer);
    if (email !== null)
      await insertEmail(tx, { id: newId(clock.nowMs()), kind: 'passkey_added', email, personId });
    const entry = { action: 'passkey.added' as const, accountId: null, subject: personId, detail: { name } };
    await insertAuditEntry(tx, viewer, entry);
  });
}

export function knownPasskey(): AppError {
  return new AppError('invalid_request', 'This passkey was added before.');
}

function tooMany(): AppError {
  return new AppError('invalid_request', `You have ${maxPasskeys} passkeys already; remove one first.`);
}
