import type { BodyOf } from '../api/account-call.ts';
import { type RetentionCallDeps, retentionCalls } from '../api/nouns/retention/retention-calls.ts';
import type { Actor } from '../audit/audit-store.ts';
import { askedOf } from './asked.ts';

type RetentionCalls = ReturnType<typeof retentionCalls>;

/** For how long accounts keep what they have. */
export function retentionVerbs(deps: RetentionCallDeps, by: Actor) {
  const call = retentionCalls(deps);
  return {
    /** In days; null: for good. */
    async listRetention(account: string) {
      return (await call.list.handle(await askedOf(deps.database, by, { account, body: undefined }))).data;
    },
    /** Those that are not named stay as they are; null takes one back to that of the installation. */
    async changeRetention(account: string, body: BodyOf<RetentionCalls['change']>) {
      return (await call.change.handle(await askedOf(deps.database, by, { account, body }))).data;
    },
  };
}
