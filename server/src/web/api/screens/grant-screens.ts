import Type from 'typebox';
import { readAuthorization, returnAddress } from '../../../accounts/grants/authorization-request.ts';
import { codeMs, digestOf, makeCode } from '../../../accounts/grants/grant-code.ts';
import { closed } from '../../../base/http/schemas.ts';
import type { Clock } from '../../../base/std/clock.ts';
import { newId } from '../../../base/std/ids.ts';
import type { Sealer } from '../../../base/std/sealer.ts';
import { assertKnownModel, type Catalogue } from '../../../upstream/catalog/catalogue.ts';
import { keyModels } from '../nouns/keys/key-schemas.ts';
import { screen } from './screen.ts';

// The maximum length of a parameter. A program's id contains its description, and a state may be as long as an address.
const maxParameterLength = 8_000;
const parameter = Type.String({ maxLength: maxParameterLength });
const request = {
  client_id: parameter,
  redirect_uri: parameter,
  response_type: parameter,
  code_challenge: parameter,
  code_challenge_method: parameter,
  state: Type.Optional(parameter),
  resource: Type.Optional(parameter),
};

export interface GrantDeps {
  /** Seals programs' own descriptions, and the codes that programs exchange for keys. */
  grantSealer: Sealer;
  catalogue: Catalogue;
  clock: Clock;
  publicUrl(): string;
}

export function grantScreens(deps: GrantDeps) {
  const { grantSealer, publicUrl, clock } = deps;
  return [
    /** Reads what a program says about itself; only its return address is trustworthy. */
    screen('POST', '/panel/grants/look', {
      body: closed(request),
      async handle({ body }) {
        const { program } = readAuthorization(grantSealer, body, publicUrl());
        return {
          name: program.name,
          returns_to: new URL(body.redirect_uri).host,
          refusal_url: returnAddress(body, { error: 'access_denied' }, publicUrl()),
        };
      },
    }),

    screen('POST', '/panel/accounts/:account_id/grants', {
      right: 'change_setup',
      body: closed({
        ...request,
        models: keyModels({ minItems: 1 }),
      }),
      async handle({ params, body, by }) {
        for (const model of body.models ?? []) assertKnownModel(deps.catalogue, model, '/models');
        const { program, codeChallenge } = readAuthorization(grantSealer, body, publicUrl());
        const now = clock.nowMs();
        const code = makeCode(grantSealer, {
          keyId: newId(now),
          accountId: params.account_id,
          name: program.name,
          models: body.models,
          person: { personId: by.personId, name: by.name },
          session: digestOf(by.token),
          programId: body.client_id,
          redirectUri: body.redirect_uri,
          codeChallenge,
          expiresAt: now + codeMs,
        });
        return { return_to: returnAddress(body, { code }, publicUrl()) };
      },
    }),
  ] as const;
}
