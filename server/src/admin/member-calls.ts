import Type from 'typebox';
import { memberRoles } from '../accounts/people/roles.ts';
import { closed, nullable, oneOf, time } from '../http/schemas.ts';
import { adminCall } from './admin-call.ts';
import { accountParams, list, listOf, nothing } from './schemas.ts';

const tag = 'Members';
const personParams = Type.Object({ ...accountParams.properties, person_id: Type.String() });
const invitationParams = Type.Object({ ...accountParams.properties, invitation_id: Type.String() });
const role = oneOf(memberRoles, { title: 'MemberRole' });
const maxNoteLength = 200;

const memberList = listOf(
  'MemberList',
  Type.Object(
    {
      person_id: Type.String(),
      name: Type.String(),
      email: nullable(Type.String()),
      email_confirmed: Type.Boolean(),
      role,
      created_at: time('When the person came here.'),
    },
    { title: 'Member' },
  ),
);

const invitationList = listOf(
  'InvitationList',
  Type.Object(
    {
      invitation_id: Type.String(),
      note: nullable(Type.String()),
      made_by: nullable(Type.String(), { description: 'An operator; null for the command line and keys.' }),
      created_at: time('When it was made.'),
      expires_at: time('Until when it can be accepted.'),
    },
    { title: 'Invitation' },
  ),
);

const madeInvitation = Type.Object(
  {
    url: Type.String({ description: 'Opens the panel once; shown this once.' }),
    expires_at: time('Until when it opens.'),
  },
  { title: 'InvitationMade' },
);

/** The people of accounts. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function memberCalls() {
  return {
    list: adminCall({
      tag,
      operationId: 'listMembers',
      summary: 'List the members of an account',
      params: accountParams,
      status: 200,
      reply: memberList,
      errors: ['not_found'],
      handle: ({ verbs, params }) => list(verbs.listMembers(params.account)),
    }),

    change: adminCall({
      tag,
      operationId: 'changeMemberRole',
      summary: 'Give a member another role',
      params: personParams,
      body: closed({ role }, { title: 'RoleChange' }),
      status: 200,
      reply: memberList,
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, params, body }) =>
        list(verbs.changeMemberRole(params.account, params.person_id, body)),
    }),

    remove: adminCall({
      tag,
      operationId: 'removeMember',
      summary: 'Remove a member',
      params: personParams,
      status: 204,
      reply: nothing('The person is no member.'),
      errors: ['not_found'],
      handle: ({ verbs, params }) => verbs.removeMember(params.account, params.person_id),
    }),

    deletePerson: adminCall({
      tag,
      operationId: 'deletePerson',
      summary: 'Delete a person',
      description:
        'By id or e-mail: their name and e-mail, ways to sign in, sessions, links and memberships, and what the audit log knows of them. Keys stay with their accounts. Not an operator, and not the only owner of an account.',
      params: Type.Object({ person: Type.String({ description: 'Id or e-mail.' }) }),
      status: 204,
      reply: nothing('There is no such person any more.'),
      errors: ['not_found', 'invalid_request'],
      handle: ({ verbs, params }) => verbs.deletePerson(params.person),
    }),

    invitations: adminCall({
      tag,
      operationId: 'listInvitations',
      summary: 'List the open invitations to an account',
      params: accountParams,
      status: 200,
      reply: invitationList,
      errors: ['not_found'],
      handle: ({ verbs, params }) => list(verbs.listInvitations(params.account)),
    }),

    invite: adminCall({
      tag,
      operationId: 'inviteMember',
      summary: 'Invite somebody to an account',
      description: 'Makes a link with which one person becomes a member. The answer is the only one with it.',
      params: accountParams,
      body: closed(
        {
          role: Type.Optional(
            oneOf(memberRoles, { title: 'MemberRole', description: '`owner` when left out.' }),
          ),
          note: Type.Optional(
            Type.String({ minLength: 1, maxLength: maxNoteLength, description: 'For whom it is.' }),
          ),
        },
        { title: 'NewInvitation' },
      ),
      status: 201,
      idempotency: 'kept',
      reply: madeInvitation,
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, params, body }) => verbs.inviteMember(params.account, body),
    }),

    renew: adminCall({
      tag,
      operationId: 'renewInvitation',
      summary: 'Make a new link for an invitation',
      description: 'The old one opens nothing any more.',
      params: invitationParams,
      status: 201,
      idempotency: 'kept',
      reply: madeInvitation,
      errors: ['not_found', 'body_too_large'],
      handle: ({ verbs, params }) => verbs.renewInvitation(params.account, params.invitation_id),
    }),

    revoke: adminCall({
      tag,
      operationId: 'revokeInvitation',
      summary: 'Revoke an invitation',
      params: invitationParams,
      status: 204,
      reply: nothing('It opens nothing any more.'),
      errors: ['not_found'],
      handle: ({ verbs, params }) => verbs.revokeInvitation(params.account, params.invitation_id),
    }),
  };
}
