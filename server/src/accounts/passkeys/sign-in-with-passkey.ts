import { AppError } from '../../errors.ts';
import { findPasskey, noteUse, type Passkey } from '../people/passkey-store.ts';
import { findPerson, type Person } from '../people/people-store.ts';
import type { Auth } from '../sign-in/auth.ts';
import { noteSignIn } from '../sign-in/note-sign-in.ts';
import { openSession } from '../sign-in/sessions.ts';
import type { Browser } from '../sign-in/sign-in.ts';
import { withinLimits } from '../sign-in/sign-in-limits.ts';
import type { PasskeyDeps } from './new-passkey.ts';
import { makePasskeyChallenge, openPasskeyChallenge } from './passkey-challenge.ts';
import { assertRelyingParty } from './relying-party.ts';

type Deps = PasskeyDeps & { auth(): Promise<Auth> };

/** Returns the options with which a browser offers this installation's passkeys, and the cookie with the challenge. */
export async function askForPasskey({ clock, seals, publicUrl }: PasskeyDeps) {
  const { id: rpID } = assertRelyingParty(publicUrl());
  const { challenge, cookie } = makePasskeyChallenge(seals, '', clock.nowMs());
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const options = await generateAuthenticationOptions({
    rpID,
    challenge: Buffer.from(challenge, 'base64url'),
    userVerification: 'required',
  });
  return { options, cookie };
}

/** A browser's answer with a passkey; all texts are base64url. */
export interface UsedPasskey {
  credentialId: string;
  clientData: string;
  authenticatorData: string;
  signature: string;
}

/** Signs in a person and returns the new session's cookies. @throws AppError `sign_in_refused`, `too_many_requests` */
export async function signInWithPasskey(deps: Deps, browser: Browser, used: UsedPasskey): Promise<string[]> {
  const { database, clock, seals } = deps;
  const { address, headers } = browser;
  return withinLimits(database, { kind: 'passkey', address, who: null, device: null }, async () => {
    const challenge = openPasskeyChallenge(seals, { cookie: browser.passkey, who: '' }, clock.nowMs());
    const { passkey, person } = await findOwner(deps, used.credentialId);
    const uses = await verify(deps, { ...used, challenge }, passkey);
    if (!(await database.transaction((tx) => noteUse(tx, passkey, uses)))) throw refused();
    const { id: personId, name } = person;
    await noteSignIn(database, { personId, name, address }, 'passkey');
    const session = { personId, via: 'passkey', passkeyId: passkey.id } as const;
    return openSession(deps, headers, session).catch(async (error: unknown) => {
      // The database refuses a session for a passkey that was removed meanwhile.
      throw (await findPasskey(database.read, used.credentialId)) ? error : refused(error);
    });
  });
}

async function findOwner(
  { database }: Deps,
  credentialId: string,
): Promise<{ passkey: Passkey; person: Person }> {
  const passkey = await findPasskey(database.read, credentialId);
  const person = passkey && (await findPerson(database.read, passkey.personId));
  if (!person) throw refused();
  return { passkey, person };
}

/** Verifies the browser's answer. Returns the device's signature counter; 0 if it has none. */
async function verify(
  { publicUrl }: Deps,
  {
    credentialId: id,
    clientData,
    authenticatorData,
    signature,
    challenge,
  }: UsedPasskey & { challenge: string },
  { publicKey, uses: counter }: Passkey,
): Promise<number> {
  const party = assertRelyingParty(publicUrl());
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
      response: { clientDataJSON: clientData, authenticatorData, signature },
    },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: { id, publicKey: Buffer.from(publicKey, 'base64url'), counter },
  }).catch((cause: unknown) => {
    throw refused(cause);
  });
  if (!verified) throw refused();
  return authenticationInfo.newCounter;
}

function refused(cause?: unknown): AppError {
  const message =
    'This passkey is not known here, or was not used in time. Try again, or sign in in another way.';
  return new AppError('sign_in_refused', message, {}, { cause });
}
