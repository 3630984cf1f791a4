import type { BodyOf } from '../api/account-call.ts';
import { alertCalls } from '../api/nouns/alerts/alert-calls.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';
import { askedOf } from './asked.ts';

type AlertCalls = ReturnType<typeof alertCalls>;

/** When accounts are told of their balance and of their limits. */
export function alertVerbs({ database }: { database: Database }, by: Actor) {
  const call = alertCalls({ database });
  return {
    accountAlerts: async (account: string) =>
      call.get.handle(await askedOf(database, by, { account, body: undefined })),
    /** What is not named stays as it is. */
    changeAccountAlerts: async (account: string, body: BodyOf<AlertCalls['change']>) =>
      call.change.handle(await askedOf(database, by, { account, body })),
  };
}
