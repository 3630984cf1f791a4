import { type AccountCallDeps, accountCalls } from '../api/nouns/accounts/account-calls.ts';
import { type ArchiveCallDeps, archiveCalls } from '../api/nouns/accounts/archive-calls.ts';
import { auditCalls } from '../api/nouns/audit/audit-calls.ts';
import { type ConnectionCallDeps, connectionCalls } from '../api/nouns/connections/connection-calls.ts';
import {
  type InstalledModelDeps,
  installedModelCalls,
} from '../api/nouns/installed-models/installed-model-calls.ts';
import { type AnyJobDeps, anyJobCalls } from '../api/nouns/jobs/any-job-calls.ts';
import { allKeysCall } from '../api/nouns/keys/key-calls.ts';
import { creditCalls } from '../api/nouns/money/credit-calls.ts';
import { marginsCall } from '../api/nouns/money/margin-calls.ts';
import { pauseCalls } from '../api/nouns/pauses/pause-calls.ts';
import { deletePersonCall } from '../api/nouns/people/person-calls.ts';
import { type RouteCallDeps, routeCalls } from '../api/nouns/routes/route-calls.ts';
import { type SystemCallDeps, systemCalls } from '../api/nouns/system/system-calls.ts';
import { type AccountDeps, accountRows } from '../api/table.ts';
import type { AdminContractOf, AdminRow, WrittenRow } from './admin-call.ts';
import { forAdmins } from './for-admins.ts';

export type AdminDeps = AccountCallDeps &
  ArchiveCallDeps &
  AnyJobDeps &
  AccountDeps &
  ConnectionCallDeps &
  InstalledModelDeps &
  RouteCallDeps &
  SystemCallDeps;

/** The whole administration. */
export function adminCalls(deps: AdminDeps): AdminRow[] {
  const rows = accountRows(deps);
  const owned = new Set<string>(rows.filter(({ call }) => call.ownerOf).map(({ path }) => path));
  const placing = { ...deps, isOwned: (path: string) => owned.has(path) };
  return [
    ...ownRows(deps).map(([method, path, scope, call, right]) => ({ method, path, scope, call, right })),
    ...rows.flatMap((row) => forAdmins(row, placing)),
  ];
}

/** The types of its calls, by method and path, but for those about an account that others make as well. */
export type AdminContract = AdminContractOf<ReturnType<typeof ownRows>>;

function ownRows(deps: AdminDeps) {
  const account = accountCalls(deps);
  const archive = archiveCalls(deps);
  const credit = creditCalls(deps);
  const job = anyJobCalls(deps);
  const model = installedModelCalls(deps);
  const connection = connectionCalls(deps);
  const route = routeCalls(deps);
  const pause = pauseCalls(deps);
  const system = systemCalls(deps);
  const audit = auditCalls(deps);
  return [
    ['GET', '/accounts', 'accounts', account.list],
    ['POST', '/accounts', 'accounts', account.create],
    ['GET', '/accounts/:account', 'accounts', account.get],
    ['POST', '/accounts/:account/disable', 'accounts', account.disable],
    ['POST', '/accounts/:account/enable', 'accounts', account.enable],
    ['POST', '/accounts/:account/export', 'accounts', archive.exportAccount],
    ['POST', '/accounts/:account/erase', 'accounts', archive.eraseAccount],
    ['DELETE', '/people/:person', 'accounts', deletePersonCall(deps)],
    ['POST', '/accounts/:account/credits', 'money', credit.credit],
    ['POST', '/accounts/:account/debits', 'money', credit.debit],
    ['GET', '/margins', 'money', marginsCall(deps)],
    ['GET', '/keys', 'accounts', allKeysCall(deps)],
    ['GET', '/jobs', 'accounts', job.list, 'see_pictures'],
    ['GET', '/jobs/:job_id', 'accounts', job.get, 'see_pictures'],
    ['GET', '/models', 'models', model.list],
    ['POST', '/models', 'models', model.apply],
    ['GET', '/models/export', 'models', model.exportAll],
    ['GET', '/models/:model_id/versions', 'models', model.versions],
    ['GET', '/models/:model_id/versions/:version', 'models', model.version],
    ['POST', '/models/:model_id/restore', 'models', model.restore],
    ['DELETE', '/models/:model_id', 'models', model.remove],
    ['GET', '/connections', 'models', connection.list],
    ['PUT', '/connections/:name', 'models', connection.save],
    ['POST', '/connections/:name/check', 'models', connection.check],
    ['DELETE', '/connections/:name', 'models', connection.remove],
    ['GET', '/routes', 'models', route.list],
    ['POST', '/routes/:route/check', 'models', route.check],
    ['POST', '/routes/:route/try', 'models', route.try],
    ['GET', '/pauses', 'system', pause.list],
    ['PUT', '/pauses/:scope', 'system', pause.pause],
    ['DELETE', '/pauses/:scope', 'system', pause.resume],
    ['GET', '/status', 'system', system.status],
    ['POST', '/self-check', 'system', system.selfCheck],
    ['GET', '/server', 'system', system.server],
    ['GET', '/audit', 'system', audit.list],
    ['GET', '/audit.csv', 'system', audit.table],
    ['GET', '/audit.jsonl', 'system', audit.lines],
    ['GET', '/audit/choices', 'system', audit.choices],
  ] as const satisfies readonly WrittenRow[];
}
