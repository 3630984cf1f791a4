import Type from 'typebox';
import { useUpLinksOf } from '../accounts/people/link-store.ts';
import { type LinkPurpose, linkUrl, type MadeLink, makeLink } from '../accounts/people/panel-link.ts';
import {
  deleteMember,
  deleteOperatorIfOthers,
  endSessions,
  findPerson,
  listOperators,
} from '../accounts/people/people-store.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { type PanelRoute, panelCall } from '../http/panel-call.ts';
import { isUuid } from '../std/ids.ts';
import { toIso } from '../std/iso-time.ts';
import type { Invitation } from './contract.ts';
import { readAccountDetail, readAccountRow } from './operator-account.ts';
import type { PanelDeps } from './panel-deps.ts';
import { presentPerson } from './present-session.ts';

const object = (fields: Parameters<typeof Type.Object>[0]) =>
  Type.Object(fields, { additionalProperties: false });
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const invitationBody = object({ note: Type.Optional(text(200)) });

/** Members and operators, for operators. */
export function operatorPeopleRoutes(deps: PanelDeps): PanelRoute[] {
  const { database } = deps;
  return [
    panelCall('POST /panel/operator/accounts/:account_id/invite', {
      body: invitationBody,
      async handle({ params, body: { note }, audited }) {
        const { id: accountId } = await readAccountRow(database, params.account_id);
        const entry = { action: 'member.invited', accountId, subject: null, detail: { note: note ?? null } };
        return invite(
          audited(() => entry),
          { kind: 'invitation', accountId, ...(note && { note }) },
        );
      },
    }),

    panelCall('POST /panel/operator/accounts/:account_id/members/:person_id/remove', {
      async handle({ params, audited }) {
        const { id: accountId } = await readAccountRow(database, params.account_id);
        const personId = await readPersonId(database, params.person_id);
        const entry = { action: 'member.removed', accountId, subject: personId, detail: {} };
        const removing = audited<boolean>((removed) => (removed ? entry : undefined));
        await removing.transaction((tx) => deleteMember(tx, { accountId, personId }));
        return readAccountDetail(database, accountId);
      },
    }),

    panelCall('GET /panel/operator/operators', {
      handle: async () => ({ data: (await listOperators(database.read)).map(presentPerson) }),
    }),

    panelCall('POST /panel/operator/operators/invite', {
      body: invitationBody,
      async handle({ body: { note }, audited }) {
        const entry = {
          action: 'operator.invited',
          accountId: null,
          subject: null,
          detail: { note: note ?? null },
        };
        return invite(
          audited(() => entry),
          { kind: 'invitation', accountId: null, ...(note && { note }) },
        );
      },
    }),

    panelCall('POST /panel/operator/people/:person_id/link', {
      async handle({ params, audited }) {
        const personId = await readPersonId(database, params.person_id);
        const entry = { action: 'link.made', accountId: null, subject: personId, detail: {} };
        const link = await audited(() => entry).transaction(async (tx) => {
          await useUpLinksOf(tx, personId);
          await endSessions(tx, personId);
          return makeLink(tx, { kind: 'sign_in', personId });
        });
        return presentLink(link);
      },
    }),

    panelCall('POST /panel/operator/operators/:person_id/remove', {
      async handle({ params, audited }) {
        const personId = await readPersonId(database, params.person_id);
        const entry = { action: 'operator.removed', accountId: null, subject: personId, detail: {} };
        const removing = audited<boolean>((removed) => (removed ? entry : undefined));
        const removed = await removing.transaction((tx) => deleteOperatorIfOthers(tx, personId));
        if (!removed) throw new AppError('invalid_request', 'This person is no operator, or the last one.');
        return { data: (await listOperators(database.read)).map(presentPerson) };
      },
    }),
  ];

  async function invite(inviting: Database, purpose: LinkPurpose): Promise<Invitation> {
    return presentLink(await inviting.transaction((tx) => makeLink(tx, purpose)));
  }

  function presentLink(link: MadeLink): Invitation {
    return { url: linkUrl(deps.publicUrl(), link), expires_at: toIso(link.expiresAt) };
  }
}

async function readPersonId(database: Database, personId: string): Promise<string> {
  const person = isUuid(personId) ? await findPerson(database.read, personId) : undefined;
  if (!person) throw new AppError('not_found', 'There is no such person.');
  return person.id;
}
