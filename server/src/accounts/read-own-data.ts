import { listAuditEntries } from '../base/audit/audit-store.ts';
import type { Queries } from '../base/db/schema.ts';
import { toIso } from '../base/std/iso-time.ts';
import { listMemberships, listSignIns } from './people/own-data-store.ts';
import { findOperatorRole, findPerson } from './people/people-store.ts';
import { listSessions } from './sign-in/session-store.ts';

/** The newest; a person who did more did it for others. */
const mostEntries = 10_000;

export type OwnData = Awaited<ReturnType<typeof readOwnData>>;

/** All that is kept of a person, as they may see it themselves. What accounts hold is theirs, and in their archives. */
export async function readOwnData(queries: Queries, personId: string) {
  const person = await findPerson(queries, personId);
  if (!person) throw new Error('a session without its person');
  const { id, name, email, emailConfirmed, hasAuthenticator, createdAt } = person;
  const [signIns, sessions, memberships, operator, done] = await Promise.all([
    listSignIns(queries, id),
    listSessions(queries, id),
    listMemberships(queries, id),
    findOperatorRole(queries, id),
    listAuditEntries(queries, { personId: id, limit: mostEntries }),
  ]);
  return {
    person: {
      ...{ person_id: id, name, email, email_confirmed: emailConfirmed, operator },
      ...{ has_authenticator: hasAuthenticator, created_at: createdAt },
    },
    sign_ins: signIns.map(({ provider, createdAt: at }) => ({ by: provider, created_at: at })),
    sessions: sessions.map(({ via, address, userAgent, createdAt: at, renewedAt }) => ({
      ...{ via, address, browser: userAgent, created_at: at, renewed_at: renewedAt },
    })),
    accounts: memberships.map(({ accountId, account, role, since }) => ({
      ...{ account_id: accountId, account, role, since: toIso(since) },
    })),
    audit_log: done.map(({ at, action, accountName, actor: { address = null }, detail }) => ({
      ...{ at: toIso(at), action, account: accountName, address, detail },
    })),
  };
}
