import { listAuditEntries } from '../base/audit/audit-store.ts';
import type { Queries } from '../base/db/schema.ts';
import { toIso, toIsoOrNull } from '../base/std/iso-time.ts';
import { listOptOuts } from './people/opt-out-store.ts';
import { listMadeKeys, listMadeShares, listMemberships, listSignIns } from './people/own-data-store.ts';
import { listPasskeys } from './people/passkey-store.ts';
import { findOperatorRole, findPerson } from './people/people-store.ts';
import { listSessions } from './sign-in/session-store.ts';
import { listAcceptances } from './sign-up/acceptance-store.ts';

/** Growing lists contain at most this many entries, the newest. The page states the number. */
const mostEntries = 1_000;

export type OwnData = Awaited<ReturnType<typeof readOwnData>>;

/** Reads everything stored about a person, except older actions and jobs. Account data is in the accounts' archives. */
export async function readOwnData(queries: Queries, personId: string) {
  const person = await findPerson(queries, personId);
  if (!person) throw new Error('a session without its person');
  const { id, name, email, emailConfirmed, hasAuthenticator, language, readsIn, createdAt } = person;
  const newest = { personId: id, limit: mostEntries };
  const [signIns, passkeys, sessions, accepted, emailsOff, memberships, keys, shares, operator, done] =
    await Promise.all([
      listSignIns(queries, id),
      listPasskeys(queries, id),
      listSessions(queries, id),
      listAcceptances(queries, id),
      listOptOuts(queries, id),
      listMemberships(queries, id),
      listMadeKeys(queries, newest),
      listMadeShares(queries, newest),
      findOperatorRole(queries, id),
      listAuditEntries(queries, newest),
    ]);
  return {
    person: {
      ...{ person_id: id, name, email, email_confirmed: emailConfirmed, operator },
      ...{ has_authenticator: hasAuthenticator, created_at: createdAt },
      ...{ language, written_to_in: readsIn },
    },
    sign_ins: signIns.map(({ provider, createdAt: at }) => ({ by: provider, created_at: at })),
    passkeys: passkeys.map(({ name: called, createdAt: at, usedAt }) => ({
      ...{ name: called, created_at: toIso(at), used_at: toIsoOrNull(usedAt) },
    })),
    sessions: sessions.map(({ via, address, userAgent, createdAt: at, renewedAt }) => ({
      ...{ via, address, browser: userAgent, created_at: at, renewed_at: renewedAt },
    })),
    accepted: accepted.map(({ document, version, acceptedAt }) => ({
      ...{ document, version, accepted_at: toIso(acceptedAt) },
    })),
    emails_off: emailsOff,
    accounts: memberships.map(({ accountId, account, role, since }) => ({
      ...{ account_id: accountId, account, role, since: toIso(since) },
    })),
    keys: keys.map(({ id: keyId, name: called, accountId, createdAt: at, disabledAt }) => ({
      ...{ key_id: keyId, name: called, account_id: accountId, created_at: toIso(at) },
      disabled_at: toIsoOrNull(disabledAt),
    })),
    shares: shares.map(({ accountId, createdAt: at, expiresAt, revokedAt }) => ({
      ...{ account_id: accountId, created_at: toIso(at), expires_at: toIso(expiresAt) },
      revoked_at: toIsoOrNull(revokedAt),
    })),
    audit_log: done.map(({ at, action, accountName, actor: { address = null }, detail }) => ({
      ...{ at: toIso(at), action, account: accountName, address, detail },
    })),
  };
}
