import { insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { newId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { findPerson } from '../people/people-store.ts';
import { proveOneself } from '../sign-in/assert-oneself.ts';
import type { Seals } from '../sign-in/seals.ts';
import type { Viewer } from '../sign-in/sessions.ts';
import type { Browser } from '../sign-in/sign-in.ts';
import { makePasskeyChallenge, openPasskeyChallenge } from './passkey-challenge.ts';
import { insertPasskey, listPasskeys } from './passkey-store.ts';
import { assertRelyingParty } from './relying-party.ts';

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
 * What a browser has a device make a passkey from, and the cookie that goes with it.
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
  if (known.length >= maxPasskeys)
    throw new AppError('invalid_request', `You have ${maxPasskeys} passkeys already; remove one first.`);
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

/** What a browser answers for a new passkey; all base64url. */
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
  { name, credentialId, clientData, attestation }: MadePasskey,
): Promise<void> {
  const party = assertRelyingParty(publicUrl());
  const { personId } = viewer;
  const challenge = openPasskeyChallenge(seals, { cookie: browser.passkey, who: personId }, clock.nowMs());
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      ...{ id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} },
      response: { clientDataJSON: clientData, attestationObject: attestation },
    },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    supportedAlgorithmIDs,
  }).catch(refuse);
  if (!verified) throw refuse();
  const { publicKey: key, counter: uses } = registrationInfo.credential;
  const publicKey = Buffer.from(key).toString('base64url');
  const passkey = { id: newId(clock.nowMs()), personId, name, credentialId, publicKey, uses };
  await database.transaction(async (tx) => {
    if (!(await insertPasskey(tx, passkey)))
      throw new AppError('invalid_request', 'This passkey was added before.');
    const entry = { action: 'passkey.added' as const, accountId: null, subject: personId, detail: { name } };
    await insertAuditEntry(tx, viewer, entry);
  });
}

function refuse(cause?: unknown): never {
  const message = 'The device made no passkey that can be used here. Begin again.';
  throw new AppError('sign_in_refused', message, {}, { cause });
}
