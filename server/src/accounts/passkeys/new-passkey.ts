import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { AppError } from '../../errors.ts';
import type { Passkey } from '../people/passkey-store.ts';
import type { Seals } from '../sign-in/seals.ts';
import type { Browser } from '../sign-in/sign-in.ts';
import { makePasskeyChallenge, openPasskeyChallenge } from './passkey-challenge.ts';
import { assertRelyingParty } from './relying-party.ts';

export interface PasskeyDeps {
  database: Database;
  clock: Clock;
  seals: Seals;
  publicUrl(): string;
}

/** COSE numbers of EdDSA, ES256 and RS256. Every device supports one. The library's others are experimental in Node. */
const supportedAlgorithmIDs = [-8, -7, -257];

interface Owner {
  /** The id of the person, or the hash of a new person's link. */
  who: string;
  email: string;
  name: string;
  known: readonly Pick<Passkey, 'credentialId'>[];
}

/** @throws AppError `invalid_request` if passkeys cannot work at the server's public URL */
export async function offerNewPasskey(
  { clock, seals, publicUrl }: Pick<PasskeyDeps, 'clock' | 'seals' | 'publicUrl'>,
  { who, email, name, known }: Owner,
  installation: string,
) {
  const party = assertRelyingParty(publicUrl());
  const { challenge, cookie } = makePasskeyChallenge(seals, who, clock.nowMs());
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const options = await generateRegistrationOptions({
    rpName: installation,
    rpID: party.id,
    userName: email,
    userDisplayName: name,
    userID: Buffer.from(who),
    challenge: Buffer.from(challenge, 'base64url'),
    supportedAlgorithmIDs,
    excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
    // The passkey identifies its person and proves that the device was unlocked, so nothing else is needed to sign in.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return { options, cookie };
}

/** A browser's answer with a new passkey; all texts are base64url. */
export interface MadePasskey {
  name: string;
  credentialId: string;
  clientData: string;
  attestation: string;
}

/** @throws AppError `sign_in_refused` for an answer that does not belong to the offer to `who` */
export async function readNewPasskey(
  { clock, seals, publicUrl }: Pick<PasskeyDeps, 'clock' | 'seals' | 'publicUrl'>,
  { passkey: cookie }: Browser,
  { who, made }: { who: string; made: MadePasskey },
): Promise<Pick<Passkey, 'name' | 'credentialId' | 'publicKey' | 'uses'>> {
  const { id: expectedRPID, origin: expectedOrigin } = assertRelyingParty(publicUrl());
  const expectedChallenge = openPasskeyChallenge(seals, { cookie, who }, clock.nowMs());
  const { name, credentialId, clientData, attestation } = made;
  const [{ verifyRegistrationResponse }, { withoutStatement }] = await Promise.all([
    import('@simplewebauthn/server'),
    import('./without-statement.ts'),
  ]);
  const refuse = (cause?: unknown): never => {
    const message = 'The device created no passkey that can be used here. Begin again.';
    throw new AppError('sign_in_refused', message, {}, { cause });
  };
  const verify = async () => {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...{ id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} },
        response: { clientDataJSON: clientData, attestationObject: withoutStatement(attestation) },
      },
      ...{ expectedChallenge, expectedOrigin, expectedRPID, supportedAlgorithmIDs },
    });
    if (!registrationInfo) throw new Error('the passkey is not verified');
    return registrationInfo.credential;
  };
  const { id, publicKey, counter: uses } = await verify().catch(refuse);
  if (id !== credentialId) refuse();
  return { name, credentialId: id, publicKey: Buffer.from(publicKey).toString('base64url'), uses };
}
