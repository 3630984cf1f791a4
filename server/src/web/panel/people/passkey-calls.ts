import Type from 'typebox';
import { addPasskey, offerPasskey } from '../../../accounts/passkeys/add-passkey.ts';
import { challengeMs } from '../../../accounts/passkeys/passkey-challenge.ts';
import { relyingPartyOf } from '../../../accounts/passkeys/relying-party.ts';
import { removePasskey } from '../../../accounts/passkeys/remove-passkey.ts';
import { askForPasskey, signInWithPasskey } from '../../../accounts/passkeys/sign-in-with-passkey.ts';
import { listPasskeys, type Passkey } from '../../../accounts/people/passkey-store.ts';
import { confirmWithPasskey, offerFirstPasskey } from '../../../accounts/sign-up/confirm-sign-up.ts';
import { closed } from '../../../base/http/schemas.ts';
import { toIso, toIsoOrNull } from '../../../base/std/iso-time.ts';
import { ownPassword } from '../../api/nouns/people/own-password.ts';
import { type PanelCall, type PanelCallRequest, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { beginSession } from './begin-session.ts';
import type { PasskeyRow } from './contract.ts';
import { acceptedVersions, linkToken, personName } from './person-schemas.ts';
import { writeCookie } from './session-cookies.ts';

/** The longest accepted value. Devices send less. */
const sent = Type.String({ minLength: 1, maxLength: 8_000, pattern: '^[A-Za-z0-9_-]+$' });
/** The longest id that the WebAuthn specification allows. */
const credentialId = Type.String({ minLength: 1, maxLength: 1_400, pattern: '^[A-Za-z0-9_-]+$' });

/** A browser's answer with a new passkey. */
const made = { name: personName, credential_id: credentialId, client_data: sent, attestation: sent };

function madeOf(body: { name: string; credential_id: string; client_data: string; attestation: string }) {
  const { name, credential_id: id, client_data: clientData, attestation } = body;
  return { name, credentialId: id, clientData, attestation };
}

export function passkeyCalls(deps: PanelDeps): PanelCall[] {
  return [...signingIn(deps), ...signingUp(deps), ...ownPasskeys(deps)];
}

function signingIn(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('POST /panel/sign-in/passkey/offer', {
      access: 'anyone',
      async handle(request) {
        const { options, cookie } = await askForPasskey(deps);
        keepChallenge(deps, request, cookie);
        return { options };
      },
    }),

    panelCall('POST /panel/sign-in/passkey', {
      access: 'anyone',
      body: closed({
        credential_id: credentialId,
        client_data: sent,
        authenticator_data: sent,
        signature: sent,
      }),
      async handle(request) {
        const { body, browser } = request;
        const cookies = await signInWithPasskey(deps, browser, {
          ...{ credentialId: body.credential_id, clientData: body.client_data },
          ...{ authenticatorData: body.authenticator_data, signature: body.signature },
        });
        keepChallenge(deps, request, '', 0);
        return beginSession(deps, request, { next: 'done', cookies });
      },
    }),
  ];
}

function signingUp(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('POST /panel/sign-up/passkey/offer', {
      access: 'anyone',
      body: closed({ token: linkToken }),
      async handle(request) {
        const asked = { token: request.body.token, installation: deps.brand.now().name };
        const { options, cookie } = await offerFirstPasskey(deps, request.browser, asked);
        keepChallenge(deps, request, cookie);
        return { options };
      },
    }),

    panelCall('POST /panel/sign-up/passkey', {
      access: 'anyone',
      body: closed({ token: linkToken, ...made, accepted: Type.Optional(acceptedVersions) }),
      async handle(request) {
        const { token, accepted = {} } = request.body;
        const asked = { token, accepted, passkey: madeOf(request.body) };
        const joined = await confirmWithPasskey(deps, request.browser, asked);
        keepChallenge(deps, request, '', 0);
        return beginSession(deps, request, joined);
      },
    }),
  ];
}

function ownPasskeys(deps: PanelDeps): PanelCall[] {
  const { database } = deps;
  return [
    panelCall('GET /panel/session/passkeys', {
      access: 'person',
      async handle({ viewer }) {
        const data = (await listPasskeys(database.read, viewer.personId)).map(presentPasskey);
        return { available: relyingPartyOf(deps.publicUrl()) !== null, data };
      },
    }),

    panelCall('POST /panel/session/passkeys/offer', {
      access: 'person',
      body: ownPassword,
      async handle(request) {
        const { viewer, browser, body } = request;
        const asked = { password: body.current_password, installation: deps.brand.now().name };
        const { options, cookie } = await offerPasskey(deps, { viewer, browser }, asked);
        keepChallenge(deps, request, cookie);
        return { options };
      },
    }),

    panelCall('POST /panel/session/passkeys', {
      access: 'person',
      body: closed(made),
      async handle(request) {
        const { viewer, browser, body } = request;
        await addPasskey(deps, { viewer, browser }, madeOf(body));
        keepChallenge(deps, request, '', 0);
        return null;
      },
    }),

    panelCall('POST /panel/session/passkeys/:passkey_id/remove', {
      access: 'person',
      body: ownPassword,
      async handle({ viewer, browser: { address }, params, body }) {
        const asked = { id: params.passkey_id, password: body.current_password };
        await removePasskey(database, { viewer, address }, asked);
        return null;
      },
    }),
  ];
}

function keepChallenge(
  deps: PanelDeps,
  { reply }: PanelCallRequest,
  cookie: string,
  maxAge = challengeMs / 1_000,
): void {
  writeCookie(reply, 'passkey_for', cookie, { publicUrl: deps.publicUrl(), maxAge });
}

function presentPasskey({ id, name, createdAt, usedAt }: Passkey): PasskeyRow {
  return { passkey_id: id, name, created_at: toIso(createdAt), used_at: toIsoOrNull(usedAt) };
}
