import Type from 'typebox';
import { emailTaken } from '../../accounts/people/email.ts';
import { giveEmail } from '../../accounts/people/email-store.ts';
import { invite, renewInvitation, revokeInvitation } from '../../accounts/people/invitations.ts';
import { endSessionsByLinksOf, listOpenInvitations, useUpLinksOf } from '../../accounts/people/link-store.ts';
import { linkUrl, type MadeLink, makeLink } from '../../accounts/people/panel-link.ts';
import { presentInvitation, presentMember, presentPerson } from '../../accounts/people/people-json.ts';
import {
  deleteOperatorIfOthers,
  endSessions,
  findPerson,
  listOperators,
  type Person,
} from '../../accounts/people/people-store.ts';
import { operatorRoles } from '../../accounts/people/roles.ts';
import { insertAuditEntry } from '../../audit/audit-store.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import { closed, oneOf } from '../../http/schemas.ts';
import { isUuid } from '../../std/ids.ts';
import { toIso } from '../../std/iso-time.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { email } from '../people/person-schemas.ts';
import type { Invitation, Operators } from './contract.ts';

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const note = Type.Optional(text(200));

/** Operators, and how people get in, for operators. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function operatorPeopleCalls(deps: PanelDeps): PanelCall[] {
  const { database } = deps;
  return [
    panelCall('GET /panel/operator/operators', {
      handle: () => readOperators(database),
    }),

    panelCall('POST /panel/operator/operators/invite', {
      body: closed({ note, role: Type.Optional(oneOf(operatorRoles)) }),
      async handle({ body: { note, role = 'admin' }, viewer }) {
        return presentLink(await invite(deps, { accountId: null, role, ...(note && { note }) }, viewer));
      },
    }),

    panelCall('POST /panel/operator/invitations/:invitation_id/revoke', {
      async handle({ params, viewer }) {
        await revokeInvitation(deps, { invitationId: params.invitation_id }, viewer);
        return null;
      },
    }),

    panelCall('POST /panel/operator/invitations/:invitation_id/renew', {
      handle: async ({ params, viewer }) =>
        presentLink(await renewInvitation(deps, { invitationId: params.invitation_id }, viewer)),
    }),

    panelCall('POST /panel/operator/people/:person_id/link', {
      async handle({ params, viewer }) {
        const personId = await readPersonId(database, params.person_id);
        const entry = { action: 'link.made' as const, accountId: null, subject: personId, detail: {} };
        const link = await database.transaction(async (tx) => {
          await insertAuditEntry(tx, viewer, entry);
          await useUpLinksOf(tx, personId);
          await endSessions(tx, personId);
          return makeLink(tx, { kind: 'sign_in', personId }, viewer);
        });
        return presentLink(link);
      },
    }),

    panelCall('POST /panel/operator/people/:person_id/confirm-email', {
      body: closed({ email }),
      async handle({ params, body, viewer }) {
        const personId = await readPersonId(database, params.person_id);
        const detail = { email: body.email };
        const entry = {
          action: 'person.email_confirmed' as const,
          accountId: null,
          subject: personId,
          detail,
        };
        await database.transaction(async (tx) => {
          const person = await findPerson(tx, personId);
          if (person?.email !== body.email)
            throw new AppError('invalid_request', 'This person has another e-mail by now. Look again.');
          if (!(await giveEmail(tx, personId, body.email))) throw emailTaken();
          await insertAuditEntry(tx, viewer, entry);
        });
        return presentPerson(await readPerson(database, personId));
      },
    }),

    panelCall('POST /panel/operator/operators/:person_id/remove', {
      async handle({ params, viewer }) {
        const personId = await readPersonId(database, params.person_id);
        const entry = { action: 'operator.removed' as const, accountId: null, subject: personId, detail: {} };
        await database.transaction(async (tx) => {
          const removed = await deleteOperatorIfOthers(tx, personId);
          if (!removed)
            throw new AppError('invalid_request', 'This person is no operator, or the last admin.');
          await endSessionsByLinksOf(tx, personId);
          await insertAuditEntry(tx, viewer, entry);
        });
        return readOperators(database);
      },
    }),
  ];

  function presentLink(link: MadeLink): Invitation {
    return { url: linkUrl(deps.publicUrl(), link), expires_at: toIso(link.expiresAt) };
  }
}

async function readOperators({ read }: Database): Promise<Operators> {
  const people = await listOperators(read);
  const invitations = await listOpenInvitations(read, null);
  return {
    data: people.map(presentMember),
    invitations: invitations.map(presentInvitation),
  };
}

async function readPersonId(database: Database, personId: string): Promise<string> {
  return (await readPerson(database, personId)).id;
}

async function readPerson(database: Database, personId: string): Promise<Person> {
  const person = isUuid(personId) ? await findPerson(database.read, personId) : undefined;
  if (!person) throw new AppError('not_found', 'There is no such person.');
  return person;
}
