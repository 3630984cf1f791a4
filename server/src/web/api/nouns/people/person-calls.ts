import Type from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import { deletePerson } from '../../../../jobs/upkeep/people/delete-person.ts';
import { installationCall } from '../../installation-call.ts';

export function deletePersonCall(deps: { database: Database }) {
  return installationCall({
    tag: 'Members',
    operationId: 'deletePerson',
    summary: 'Delete a person',
    description:
      'Deletes by id or email: their name and email, ways to sign in, sessions, links and memberships, and their data in the audit log. Keys stay with their accounts. Refused for operators, and for the only owner of an account.',
    params: Type.Object({ person: Type.String({ description: 'Id or email.' }) }),
    status: 204,
    reply: Type.Null({ description: 'This person no longer exists.' }),
    errors: ['not_found', 'invalid_request'],
    async handle({ params, by }) {
      await deletePerson(deps, params, by);
      return null;
    },
  });
}
