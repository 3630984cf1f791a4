import type { Actor } from '../../../../base/audit/audit-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readNow } from '../../../../base/db/rows.ts';
import { changeLimits } from '../../../../money/limits/change-limits.ts';
import type { LimitDefaults, Subject } from '../../../../money/limits/limit.ts';
import { listLimits } from '../../../../money/limits/list-limits.ts';
import { type LimitsJson, readLimitChanges } from '../../../../money/limits/read-limit-changes.ts';
import { accountCall } from '../../account-call.ts';
import { type LimitListJson, limitChanges, limitList, presentLimits } from './limit-json.ts';

export interface LimitCallDeps {
  database: Database;
  limitDefaults: LimitDefaults;
}

const tag = 'Accounts';

export function limitCalls(deps: LimitCallDeps) {
  const subjectOf = (id: string): Subject => ({ kind: 'account', id });
  return {
    list: accountCall({
      tag,
      operationId: 'getAccountLimits',
      summary: 'Read the limits of an account',
      description: 'With the current use of each.',
      reply: limitList,
      handle: ({ accountId }) => readLimitList(deps, subjectOf(accountId)),
    }),

    change: accountCall({
      tag,
      operationId: 'changeAccountLimits',
      summary: 'Change limits of an account',
      description: 'Omitted limits stay; null removes a limit.',
      body: limitChanges,
      reply: limitList,
      handle: ({ accountId, by, body }) =>
        changeLimitList(deps, { accountId, subject: subjectOf(accountId), limits: body }, by),
    }),
  };
}

export async function readLimitList(deps: LimitCallDeps, subject: Subject) {
  const [list] = await readLimitLists(deps, [subject]);
  return list as LimitListJson; // one for each subject
}

export async function readLimitLists(
  { database: { read }, limitDefaults }: LimitCallDeps,
  subjects: readonly Subject[],
): Promise<LimitListJson[]> {
  const nowMs = await readNow(read);
  const limits = await listLimits(read, subjects, { defaults: limitDefaults, nowMs });
  return subjects.map(({ id }) => {
    const own = limits.filter(({ subject }) => subject.id === id);
    return presentLimits(own, nowMs);
  });
}

export async function changeLimitList(
  deps: LimitCallDeps,
  { limits, ...limited }: { accountId: string; subject: Subject; limits: LimitsJson },
  by: Actor,
) {
  const changes = readLimitChanges(limits);
  const { limitDefaults: defaults } = deps;
  await deps.database.transaction((tx) => changeLimits(tx, { ...limited, changes, defaults }, by));
  return readLimitList(deps, limited.subject);
}
