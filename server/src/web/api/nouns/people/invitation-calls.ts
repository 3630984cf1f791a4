import Type from 'typebox';
import { invite, renewInvitation, revokeInvitation } from '../../../../accounts/people/invitations.ts';
import { listOpenInvitations } from '../../../../accounts/people/link-store.ts';
import { memberRoles } from '../../../../accounts/people/roles.ts';
import type { Database } from '../../../../base/db/database.ts';
import { closed, oneOf } from '../../../../base/http/schemas.ts';
import { accountCall } from '../../account-call.ts';
import { currentPassword, proveForOwner, toMakeOwner } from './own-password.ts';
import { invitationSchema, madeLinkSchema, presentInvitation, presentLink } from './person-json.ts';

export interface InvitationCallDeps {
  database: Database;
  urls: { publicUrl: string };
}

const tag = 'Members';
const maxNoteLength = 200;
const invitationParams = Type.Object({ invitation_id: Type.String() });

export const invitationNote = Type.Optional(
  Type.String({ minLength: 1, maxLength: maxNoteLength, description: 'A note about the person it is for.' }),
);

const newInvitation = closed(
  {
    role: Type.Optional(oneOf(memberRoles, { title: 'MemberRole', description: '`owner` when left out.' })),
    note: invitationNote,
    current_password: currentPassword,
  },
  { title: 'NewInvitation' },
);

export function invitationCalls(deps: InvitationCallDeps) {
  const { database, urls } = deps;
  return {
    list: accountCall({
      tag,
      operationId: 'listInvitations',
      summary: 'List the open invitations to an account',
      reply: Type.Object({ data: Type.Array(invitationSchema) }, { title: 'InvitationList' }),
      handle: async ({ accountId }) => ({
        data: (await listOpenInvitations(database.read, accountId)).map((invitation) =>
          presentInvitation(memberRoles, invitation),
        ),
      }),
    }),

    invite: accountCall({
      tag,
      operationId: 'inviteMember',
      summary: 'Invite a person to an account',
      description: `Creates a link with which one person becomes a member. Only this answer contains it. ${toMakeOwner}`,
      body: newInvitation,
      status: 201,
      idempotency: 'kept',
      makes: '/invitations',
      reply: madeLinkSchema,
      errors: ['not_found', 'sign_in_refused'],
      async handle({ accountId, by, body, ...asking }) {
        const { role = 'owner', current_password: _, ...named } = body;
        await proveForOwner(asking, { ...body, role });
        return presentLink(urls.publicUrl, await invite(deps, { accountId, role, ...named }, by));
      },
    }),

    renew: accountCall({
      tag,
      operationId: 'renewInvitation',
      summary: 'Create a new link for an invitation',
      description:
        'The old link stops working. An owner who invited another owner revokes the invitation and makes a new one.',
      params: invitationParams,
      status: 201,
      idempotency: 'kept',
      makes: '/invitations',
      reply: madeLinkSchema,
      errors: ['not_found', 'body_too_large'],
      handle: async ({ accountId, by, params, may }) => {
        const invitation = { accountId, invitationId: params.invitation_id, mayBeOwner: may('operate') };
        return presentLink(urls.publicUrl, await renewInvitation(deps, invitation, by));
      },
    }),

    revoke: accountCall({
      tag,
      operationId: 'revokeInvitation',
      summary: 'Revoke an invitation',
      params: invitationParams,
      status: 204,
      reply: Type.Null({ description: 'The link stops working.' }),
      errors: ['not_found'],
      async handle({ accountId, by, params }) {
        await revokeInvitation(deps, { accountId, invitationId: params.invitation_id }, by);
        return null;
      },
    }),
  };
}
