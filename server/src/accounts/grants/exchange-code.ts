import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import type { Clock } from '../../base/std/clock.ts';
import type { Sealer } from '../../base/std/sealer.ts';
import { findAccount } from '../account-store.ts';
import { createKey, type NewKey } from '../create-key.ts';
import { disableKey } from '../disable-key.ts';
import { findKey } from '../key-store.ts';
import { findMembership, findOperatorRole } from '../people/people-store.ts';
import { rightsOf } from '../people/roles.ts';
import { listSessions } from '../sign-in/session-store.ts';
import { digestOf, type Grant, readCode } from './grant-code.ts';

export interface GrantDeps {
  database: Database;
  clock: Clock;
  grantSealer: Sealer;
}

/** Exchanges a code; undefined if it is invalid. A second use means a leak, and disables the key (RFC 6749, 4.1.2). */
export async function exchangeCode(
  deps: GrantDeps,
  asked: { code: string; programId: string; redirectUri: string; verifier: string },
  address: string,
): Promise<NewKey | undefined> {
  const { database, clock, grantSealer } = deps;
  const grant = readCode(grantSealer, asked, clock.nowMs());
  if (!grant) return undefined;
  const { keyId, accountId: account, name, models } = grant;
  const by = { ...grant.person, address };
  const isUsed = async () => (await findKey(database.read, keyId)) !== undefined;
  if (!(await isUsed())) {
    try {
      const assertMay = (tx: Tx) => assertMayStill(tx, grant);
      return await createKey(deps, { keyId, account, name, models, assertMay }, by);
    } catch (error) {
      if (error instanceof NotAnyMore) return undefined;
      // If two requests arrive simultaneously, the database lets only one create the key.
      if (!(await isUsed())) throw error;
    }
  }
  await disableKey(deps, { keyId }, by);
  return undefined;
}

class NotAnyMore extends Error {}

/** Checks again that the person may grant the key: session, account and role. @throws NotAnyMore */
async function assertMayStill(
  tx: Tx,
  { accountId, person, session }: Omit<Grant, 'programId'>,
): Promise<void> {
  const { personId } = person;
  const sessions = await listSessions(tx, personId);
  const account = await findAccount(tx, accountId);
  const operator = await findOperatorRole(tx, personId);
  const member = (await findMembership(tx, { accountId, personId }))?.role ?? null;
  const may =
    sessions.some(({ token }) => digestOf(token) === session) &&
    account?.disabledAt === null &&
    rightsOf({ operator, member }).includes('change_setup');
  if (!may) throw new NotAnyMore();
}
