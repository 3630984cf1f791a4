import { insertAuditEntry } from '../base/audit/audit-store.ts';
import type { Database } from '../base/db/database.ts';
import type { Clock } from '../base/std/clock.ts';
import { newId } from '../base/std/ids.ts';
import { AppError } from '../errors.ts';
import { lockBalances } from '../money/ledger/ledger-store.ts';
import { maxNameLength } from './name.ts';
import { type AddressLink, findAddressLink } from './people/address-link-store.ts';
import { parseEmail } from './people/email.ts';
import { findUsableLink, invitedRole, type PanelLink, useLinkIfUsable } from './people/link-store.ts';
import { hashToken } from './people/panel-link.ts';
import { hashNewPassword } from './people/password.ts';
import { addPersonWithPassword, findPerson, insertMember, insertOperator } from './people/people-store.ts';
import { memberRoles, operatorRoles } from './people/roles.ts';
import type { Auth } from './sign-in/auth.ts';
import { forgetWrongCodes } from './sign-in/authenticator-store.ts';
import { openSession } from './sign-in/sessions.ts';
import type { Browser } from './sign-in/sign-in.ts';

export interface OpenLinkDeps {
  database: Database;
  clock: Clock;
  auth(): Promise<Auth>;
}

export interface Newcomer {
  name?: string;
  email?: string;
  password?: string;
}

/** Reads what a link would do, without using it up. @throws AppError `panel_link_invalid` */
export async function lookAtLink(
  { database }: { database: Database },
  token: string,
): Promise<PanelLink | AddressLink> {
  const tokenHash = hashToken(token);
  const link =
    (await findUsableLink(database.read, tokenHash)) ?? (await findAddressLink(database.read, tokenHash));
  if (!link) throw linkInvalid();
  return link;
}

/** Signs in the link's person, and uses up the link. @throws AppError `panel_link_invalid`, `invalid_request` */
export async function openLink(
  deps: OpenLinkDeps,
  browser: Browser,
  { token, ...newcomer }: { token: string } & Newcomer,
): Promise<{ personId: string; cookies: string[] }> {
  const link = await lookAtLink(deps, token);
  if ('purpose' in link) throw linkInvalid(); // only the page for emailed links opens an emailed link
  const personId =
    link.kind === 'sign_in'
      ? await useSignInLink(deps, browser, token)
      : await acceptInvitation(deps, browser, link.accountId, { token, ...newcomer });
  return { personId, cookies: await openSession(deps, browser.headers, { personId, via: 'link' }) };
}

async function useSignInLink(
  { database }: OpenLinkDeps,
  { address }: Browser,
  token: string,
): Promise<string> {
  return database.transaction(async (tx) => {
    const link = await useLinkIfUsable(tx, hashToken(token));
    const person = link?.kind === 'sign_in' ? await findPerson(tx, link.personId) : undefined;
    if (!person) throw linkInvalid();
    await forgetWrongCodes(tx, person.id);
    const detail = { with: 'one-time link' };
    await insertAuditEntry(
      tx,
      { personId: person.id, name: person.name, address },
      { action: 'link.opened', accountId: null, subject: null, detail },
    );
    return person.id;
  });
}

async function acceptInvitation(
  { database, clock }: OpenLinkDeps,
  { address }: Browser,
  joined: string | null,
  { token, ...newcomer }: { token: string } & Newcomer,
): Promise<string> {
  const { name, email, password } = readNewcomer(newcomer);
  const passwordHash = await hashNewPassword(password, { name, email });
  const at = clock.nowMs();
  const personId = newId(at);
  await database.transaction(async (tx) => {
    // The lock keeps the inviter's rights and the account unchanged until the commit.
    const [account] = joined === null ? [] : await lockBalances(tx, [joined]);
    const link = await useLinkIfUsable(tx, hashToken(token));
    if (link?.kind !== 'invitation' || account?.isErased) throw linkInvalid();
    await addPersonWithPassword(tx, { id: personId, name, email, at, passwordHash });
    const { accountId, role } = link;
    if (accountId === null) await insertOperator(tx, personId, invitedRole(operatorRoles, role));
    else await insertMember(tx, { accountId, personId, role: invitedRole(memberRoles, role) });
    await insertAuditEntry(
      tx,
      { personId, name, address },
      {
        action: link.accountId === null ? 'operator.joined' : 'member.joined',
        accountId: link.accountId,
        subject: personId,
        detail: { email, ...(role !== null && { role }) },
      },
    );
  });
  return personId;
}

function readNewcomer({ name = '', email, password }: Newcomer): {
  name: string;
  email: string;
  password: string;
} {
  const missing = [
    ...(email === undefined ? [{ pointer: '/email', detail: 'is required.' }] : []),
    ...(password === undefined ? [{ pointer: '/password', detail: 'is required.' }] : []),
  ];
  if (email === undefined || password === undefined) {
    throw new AppError('invalid_request', 'Accepting an invitation needs an email and a password.', {
      errors: missing,
    });
  }
  const address = parseEmail(email);
  return { name: name.trim().slice(0, maxNameLength) || address, email: address, password };
}

export function linkInvalid(): AppError {
  return new AppError(
    'panel_link_invalid',
    'This link was used before, has expired or does not belong to this installation. Ask for a new one.',
  );
}
