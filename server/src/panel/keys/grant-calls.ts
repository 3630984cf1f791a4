import Type from 'typebox';
import { readAuthorization, returnAddress } from '../../accounts/grants/authorization-request.ts';
import { codeMs, digestOf, makeCode } from '../../accounts/grants/grant-code.ts';
import { keyModels } from '../../api/nouns/keys/key-schemas.ts';
import { assertKnownModel } from '../../catalog/catalogue.ts';
import { closed } from '../../http/schemas.ts';
import { newId } from '../../std/ids.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

// An id of a program holds its description; a state may be as long as the program likes, within an address.
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

/** The page on which a person lets a program use an account. */
export function grantCalls(deps: PanelDeps): PanelCall[] {
  const { grantSealer, publicUrl, clock } = deps;
  return [
    panelCall('POST /panel/grants/look', {
      access: 'person',
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

    panelCall('POST /panel/accounts/:account_id/grants', {
      body: closed({
        ...request,
        models: keyModels({ minItems: 1 }),
      }),
      async handle({ params, body, viewer }) {
        for (const model of body.models ?? []) assertKnownModel(deps.catalogue, model, '/models');
        const { program, codeChallenge } = readAuthorization(grantSealer, body, publicUrl());
        const now = clock.nowMs();
        const code = makeCode(grantSealer, {
          keyId: newId(now),
          accountId: params.account_id,
          name: program.name,
          models: body.models,
          person: { personId: viewer.personId, name: viewer.name },
          session: digestOf(viewer.token),
          programId: body.client_id,
          redirectUri: body.redirect_uri,
          codeChallenge,
          expiresAt: now + codeMs,
        });
        return { return_to: returnAddress(body, { code }, publicUrl()) };
      },
    }),
  ];
}
