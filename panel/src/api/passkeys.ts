import type { PasskeyOffer } from '@darkroom/server/panel-contract';
import { t } from '../languages/words.ts';

/** Whether this browser supports the passkey options that the server sends. */
export const hasPasskeys =
  typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** Asks a device to create a passkey. @throws Error with a sentence for people */
export async function makePasskey({ options }: PasskeyOffer, signal: AbortSignal) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON, // in the form that the server sends
  );
  const made = await navigator.credentials.create({ publicKey, signal }).catch(refuse);
  const { id, response } = (made as PublicKeyCredential).toJSON(); // the type that was requested
  if (!('attestationObject' in response)) throw new TypeError(t('No passkey was created.'));
  return { credential_id: id, client_data: response.clientDataJSON, attestation: response.attestationObject };
}

/** Asks a device to sign with a passkey. @throws Error with a sentence for people */
export async function signWithPasskey({ options }: PasskeyOffer, signal: AbortSignal) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON, // in the form that the server sends
  );
  const used = await navigator.credentials.get({ publicKey, signal }).catch(refuse);
  const { id, response } = (used as PublicKeyCredential).toJSON(); // the type that was requested
  if (!('signature' in response)) throw new TypeError(t('The device has signed nothing.'));
  return {
    ...{ credential_id: id, client_data: response.clientDataJSON },
    ...{ authenticator_data: response.authenticatorData, signature: response.signature },
  };
}

const reasons: Record<string, string> = {
  InvalidStateError: t('This device has a passkey of yours already.'),
  NotAllowedError: t('The device was not unlocked, or was asked too long ago.'),
  SecurityError: t('Passkeys work only at the panel’s own address, and this page is open at another.'),
};

function refuse(error: unknown): never {
  const reason = error instanceof DOMException ? reasons[error.name] : undefined;
  throw reason === undefined ? error : new Error(reason, { cause: error });
}
