import { insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { newId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { insertEmail } from '../people/outbox-store.ts';
import { insertPasskey, listPasskeys, lockOwner } from '../people/passkey-store.ts';
import { findPerson } from '../people/people-store.ts';
import { proveOneself } from '../sign-in/assert-oneself.ts';
import type { Seals } from '../sign-in/seals.ts';
import type { Viewer } from '../sign-in/sessions.ts';
import type { Browser } from '../sign-in/sign-in.ts';
import { makePasskeyChallenge, openPasskeyChallenge } from './passkey-challenge.ts';
import { assertRelyingParty, type RelyingParty } from './relying-party.ts';

export interface PasskeyDeps {
  database: Database;
  clock: Clock;
  seals: Seals;
  publicUrl(): string;
}

/** COSE's numbers of EdDSA, ES256 and RS256, which every device has one of. What the library would add is experimental in Node. */
const supportedAlgorithmIDs = [-8, -7, -257];
/** A page shows them all. */
const maxPasskeys = 20;

interface Who {
  viewer: Viewer;
  browser: Browser;
}

/**
 * Returns the options for a browser's new passkey, and the cookie that goes with them.
 *
 * @param installation the name that devices show beside the passkey
 * @throws AppError `sign_in_refused`, `too_many_requests`; `invalid_request` where there can be none, or no more
 */
export async function offerPasskey(
  { database, clock, seals, publicUrl }: PasskeyDeps,
  { viewer, browser: { address } }: Who,
  { password, installation }: { password: string | undefined; installation: string },
) {
  const party = assertRelyingParty(publicUrl());
  await proveOneself(database, { viewer, address }, password);
  const known = await listPasskeys(database.read, viewer.personId);
  if (known.length >= maxPasskeys) throw tooMany();
  const person = await findPerson(database.read, viewer.personId);
  const { challenge, cookie } = makePasskeyChallenge(seals, viewer.personId, clock.nowMs());
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const options = await generateRegistrationOptions({
    rpName: installation,
    rpID: party.id,
    userName: person?.email ?? viewer.name,
    userDisplayName: viewer.name,
    userID: Buffer.from(viewer.personId),
    challenge: Buffer.from(challenge, 'base64url'),
    supportedAlgorithmIDs,
    excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
    // It says itself whose it is, and that somebody unlocked the device: it stands for e-mail, password and code.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return { options, cookie };
}

/** A browser's answer with a new passkey; all base64url. */
export interface MadePasskey {
  name: string;
  credentialId: string;
  clientData: string;
  attestation: string;
}

/** @throws AppError `sign_in_refused` for an answer that is not of the offer; `invalid_request` for one that is known */
export async function addPasskey(
  { database, clock, seals, publicUrl }: PasskeyDeps,
  { viewer, browser }: Who,
  made: MadePasskey,
): Promise<void> {
  const { name } = made;
  const party = assertRelyingParty(publicUrl());
  const { personId } = viewer;
  const challenge = openPasskeyChallenge(seals, { cookie: browser.passkey, who: personId }, clock.nowMs());
  const { id, publicKey: key, counter: uses } = await verify(party, { ...made, challenge }).catch(refuse);
  if (id !== made.credentialId) refuse();
  const publicKey = Buffer.from(key).toString('base64url');
  const passkey = { id: newId(clock.nowMs()), personId, name, credentialId: id, publicKey, uses };
  await database.transaction(async (tx) => {
    const email = await lockOwner(tx, personId);
    if ((await listPasskeys(tx, personId)).length >= maxPasskeys) throw tooMany();
    if (!(await insertPasskey(tx, passkey)))
      throw new AppError('invalid_request', 'This passkey was added before.');
    if (email !== null)
      await insertEmail(tx, { id: newId(clock.nowMs()), kind: 'passkey_added', email, personId });
    const entry = { action: 'passkey.added' as const, accountId: null, subject: personId, detail: { name } };
    await insertAuditEntry(tx, viewer, entry);
  });
}

async function verify(
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
  { credentialId: id, clientData, attestation, challenge }: MadePasskey & { challenge: string },
) {
  const [{ verifyRegistrationResponse }, { withoutStatement }] = await Promise.all([
    import('@simplewebauthn/server'),
    import('./without-statement.ts'),
  ]);
  const { registrationInfo } = await verifyRegistrationResponse({
    response: {
      ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
      response: { clientDataJSON: clientData, attestationObject: withoutStatement(attestation) },
    },
    ...{ expectedChallenge: challenge, expectedOrigin, expectedRPID, supportedAlgorithmIDs },
  });
  if (!registrationInfo) throw new Error('the passkey is not verified');
  return registrationInfo.credential;
}

function tooMany(): AppError {
  return new AppError('invalid_request', `You have ${maxPasskeys} passkeys already; remove one first.`);
}

function refuse(cause?: unknown): never {
  const message = 'The device made no passkey that can be used here. Begin again.';
  throw new AppError('sign_in_refused', message, {}, { cause });
}
