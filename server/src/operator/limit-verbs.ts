import type { BodyOf } from '../api/account-call.ts';
import { keyLimitCalls } from '../api/nouns/keys/key-limit-calls.ts';
import { type LimitCallDeps, limitCalls } from '../api/nouns/limits/limit-calls.ts';
import type { Actor } from '../audit/audit-store.ts';
import { askedOf, askedOfKey } from './asked.ts';

type Changes = BodyOf<ReturnType<typeof limitCalls>['change']>;

/** Limits of accounts and keys: those that are set. */
export function limitVerbs(deps: LimitCallDeps, by: Actor) {
  const { database } = deps;
  const ofAccounts = limitCalls(deps);
  const ofKeys = keyLimitCalls(deps);
  return {
    accountLimits: async (account: string) =>
      (await ofAccounts.list.handle(await askedOf(database, by, { account, body: undefined }))).data,
    keyLimits: async (keyId: string) =>
      (await ofKeys.list.handle(await askedOfKey(database, by, { keyId, body: undefined }))).data,
    /** Those that are not named stay as they are. */
    changeAccountLimits: async (account: string, body: Changes) =>
      (await ofAccounts.change.handle(await askedOf(database, by, { account, body }))).data,
    changeKeyLimits: async (keyId: string, body: Changes) =>
      (await ofKeys.change.handle(await askedOfKey(database, by, { keyId, body }))).data,
  };
}
