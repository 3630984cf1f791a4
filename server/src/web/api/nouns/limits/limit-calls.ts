import type { Actor } from '../../../../base/audit/audit-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readNow } from '../../../../base/db/rows.ts';
import { changeLimits } from '../../../../money/limits/change-limits.ts';
import type { LimitDefaults, Subject } from '../../../../money/limits/limit.ts';
import { listLimits } from '../../../../money/limits/list-limits.ts';
import { type LimitsJson, readLimitChanges } from '../../../../money/limits/read-limit-changes.ts';
import { accountCall } from '../../account-call.ts';
import { limitChanges, limitList, presentLimits } from './limit-json.ts';

export interface LimitCallDeps {
  database: Database;
  limitDefaults: LimitDefaults;
}

const tag = 'Accounts';

/** The limits of an account, which hold for its keys together. */
export function limitCalls(deps: LimitCallDeps) {
  const subjectOf = (id: string): Subject => ({ kind: 'account', id });
  return {
    list: accountCall({
      tag,
      operationId: 'getAccountLimits',
      summary: 'Read the limits of an account',
      description: 'And what is used of them.',
      status: 200,
      reply: limitList,
      errors: [],
      handle: ({ accountId }) => readLimitList(deps, subjectOf(accountId)),
    }),

    change: accountCall({
      tag,
      operationId: 'changeAccountLimits',
      summary: 'Change limits of an account',
      description: 'Those that are not named stay; null removes one.',
      body: limitChanges,
      status: 200,
      reply: limitList,
      errors: ['unsupported_media_type', 'body_too_large'],
      handle: ({ accountId, by, body }) =>
        changeLimitList(deps, { accountId, subject: subjectOf(accountId), limits: body }, by),
    }),
  };
}

/** The limits of an account or a key. */
export async function readLimitList({ database: { read }, limitDefaults }: LimitCallDeps, subject: Subject) {
  const nowMs = await readNow(read);
  return presentLimits(await listLimits(read, subject, { defaults: limitDefaults, nowMs }), nowMs);
}

/** Changes those of an account or a key that are named. @throws AppError `invalid_request` */
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
