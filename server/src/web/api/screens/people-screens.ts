import Type from 'typebox';
import { maxEmailLength } from '../../../accounts/people/email.ts';
import { invite, renewInvitation, revokeInvitation } from '../../../accounts/people/invitations.ts';
import { listOpenInvitations } from '../../../accounts/people/link-store.ts';
import { confirmEmail, makeSignInLink, removeOperator } from '../../../accounts/people/operator-changes.ts';
import { listOperators } from '../../../accounts/people/people-store.ts';
import { operatorRoles } from '../../../accounts/people/roles.ts';
import { inviteCustomer } from '../../../accounts/sign-up/invite-customer.ts';
import type { SignUpDeps } from '../../../accounts/sign-up/request-sign-up.ts';
import { closed, oneOf } from '../../../base/http/schemas.ts';
import { type InvitationCallDeps, invitationNote } from '../nouns/people/invitation-calls.ts';
import { presentInvitation, presentLink, presentMember, presentPerson } from '../nouns/people/person-json.ts';
import { screen } from './screen.ts';

export type PeopleScreenDeps = InvitationCallDeps & SignUpDeps;

const email = Type.String({ minLength: 1, maxLength: maxEmailLength });

/** Only the panel has these calls: a leaked admin key must not create operators or sign in as other people. */
export function peopleScreens(deps: PeopleScreenDeps) {
  const { database, urls } = deps;
  const readOperators = async () => ({
    data: (await listOperators(database.read)).map(presentMember),
    invitations: (await listOpenInvitations(database.read, null)).map((invitation) =>
      presentInvitation(operatorRoles, invitation),
    ),
  });
  return [
    screen('GET', '/panel/operator/operators', { handle: readOperators }),

    screen('POST', '/panel/operator/operators/invite', {
      body: closed({ note: invitationNote, role: Type.Optional(oneOf(operatorRoles)) }),
      handle: async ({ body: { role = 'admin', ...named }, by }) =>
        presentLink(urls.publicUrl, await invite(deps, { accountId: null, role, ...named }, by)),
    }),

    screen('POST', '/panel/operator/customers/invite', {
      body: closed({ email }),
      async handle({ body, by }) {
        await inviteCustomer(deps, body, by);
        return null;
      },
    }),

    screen('POST', '/panel/operator/invitations/:invitation_id/revoke', {
      async handle({ params, by }) {
        await revokeInvitation(deps, { accountId: null, invitationId: params.invitation_id }, by);
        return null;
      },
    }),

    screen('POST', '/panel/operator/invitations/:invitation_id/renew', {
      async handle({ params, by }) {
        const invitation = { accountId: null, invitationId: params.invitation_id, mayBeOwner: true };
        return presentLink(urls.publicUrl, await renewInvitation(deps, invitation, by));
      },
    }),

    screen('POST', '/panel/operator/operators/:person_id/remove', {
      async handle({ params, by }) {
        await removeOperator(deps, params.person_id, by);
        return readOperators();
      },
    }),

    screen('POST', '/panel/operator/people/:person_id/link', {
      handle: async ({ params, by }) =>
        presentLink(urls.publicUrl, await makeSignInLink(deps, params.person_id, by)),
    }),

    screen('POST', '/panel/operator/people/:person_id/confirm-email', {
      body: closed({ email }),
      handle: async ({ params, body, by }) =>
        presentPerson(await confirmEmail(deps, { personId: params.person_id, ...body }, by)),
    }),
  ] as const;
}
