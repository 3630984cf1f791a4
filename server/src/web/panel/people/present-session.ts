import { findPerson, hasPassword, listAccountsOf } from '../../../accounts/people/people-store.ts';
import { rightsOf } from '../../../accounts/people/roles.ts';
import { owesAuthenticator } from '../../../accounts/sign-in/second-factor.ts';
import type { OpenSession } from '../../../accounts/sign-in/session-store.ts';
import type { Viewer } from '../../../accounts/sign-in/sessions.ts';
import { findLastAccount } from '../../../base/audit/audit-store.ts';
import { toIso } from '../../../base/std/iso-time.ts';
import { findNewestAccount } from '../../../money/ledger/entry-page-store.ts';
import { version } from '../../../version.ts';
import { presentPerson } from '../../api/nouns/people/person-json.ts';
import { presentAccountRef } from '../../api/screens/present-account-ref.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { Session, SessionRow } from './contract.ts';

// The maximum number of accounts, as many as the account menu can show. Operators also have a searchable list.
const maxAccounts = 500;

export async function presentSession(
  { database, installation }: PanelDeps,
  viewer: Viewer,
): Promise<Session> {
  const person = await findPerson(database.read, viewer.personId);
  if (!person) throw new Error('a session without its person');
  const accounts = await listAccountsOf(
    database.read,
    { id: person.id, operator: viewer.operator },
    maxAccounts,
  );
  return {
    person: presentPerson(person),
    language: person.language,
    operator: viewer.operator,
    rights: rightsOf({ operator: viewer.operatorRole, member: null }),
    accounts: accounts.map(({ role, ...account }) => ({
      ...presentAccountRef(account),
      rights: rightsOf({ operator: viewer.operatorRole, member: role }),
    })),
    last_account_id:
      (await findLastAccount(database.read, { personId: person.id, action: 'job.created' })) ??
      (viewer.operator ? await findNewestAccount(database.read) : null),
    has_password: await hasPassword(database.read, person.id),
    has_authenticator: person.hasAuthenticator,
    must_set_up_authenticator: owesAuthenticator(installation.secondFactor, viewer),
    may_reset_password: viewer.mayResetPassword,
    via: viewer.via,
    expires_at: toIso(viewer.expiresAt),
    currency: installation.currency,
    version,
  };
}

export function presentOpenSession(session: OpenSession, viewer: Viewer): SessionRow {
  const { id, token, via, address, userAgent, createdAt, renewedAt } = session;
  return {
    session_id: id,
    current: token === viewer.token,
    via,
    address,
    browser: userAgent,
    created_at: createdAt,
    renewed_at: renewedAt,
  };
}
