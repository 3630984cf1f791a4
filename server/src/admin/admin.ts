import { auditCall } from '../api/nouns/audit/audit-calls.ts';
import { type ConnectionCallDeps, connectionCalls } from '../api/nouns/connections/connection-calls.ts';
import {
  type InstalledModelDeps,
  installedModelCalls,
} from '../api/nouns/installed-models/installed-model-calls.ts';
import { marginsCall } from '../api/nouns/money/margin-calls.ts';
import { pauseCalls } from '../api/nouns/pauses/pause-calls.ts';
import { type RouteCallDeps, routeCalls } from '../api/nouns/routes/route-calls.ts';
import { type SystemCallDeps, systemCalls } from '../api/nouns/system/system-calls.ts';
import { type AccountDeps, accountRows } from '../api/table.ts';
import { accountCalls } from './account-calls.ts';
import type { AdminContractOf, AdminRow, WrittenRow } from './admin-call.ts';
import { archiveCalls } from './archive-calls.ts';
import { forAdmins } from './for-admins.ts';
import { type JobCallDeps, jobCalls } from './job-calls.ts';
import { keyCalls } from './key-calls.ts';
import { memberCalls } from './member-calls.ts';
import { moneyCalls } from './money-calls.ts';

export type AdminDeps = JobCallDeps &
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
  const account = accountCalls();
  const member = memberCalls();
  const archive = archiveCalls();
  const money = moneyCalls();
  const key = keyCalls();
  const job = jobCalls(deps);
  const model = installedModelCalls(deps);
  const connection = connectionCalls(deps);
  const route = routeCalls(deps);
  const pause = pauseCalls(deps);
  const system = systemCalls(deps);
  return [
    ['GET', '/accounts', 'accounts', account.list],
    ['POST', '/accounts', 'accounts', account.create],
    ['GET', '/accounts/:account', 'accounts', account.get],
    ['POST', '/accounts/:account/disable', 'accounts', account.disable],
    ['POST', '/accounts/:account/enable', 'accounts', account.enable],
    ['POST', '/accounts/:account/export', 'accounts', archive.exportAccount],
    ['POST', '/accounts/:account/erase', 'accounts', archive.eraseAccount],
    ['GET', '/accounts/:account/members', 'accounts', member.list],
    ['PATCH', '/accounts/:account/members/:person_id', 'accounts', member.change],
    ['DELETE', '/accounts/:account/members/:person_id', 'accounts', member.remove],
    ['DELETE', '/people/:person', 'accounts', member.deletePerson],
    ['GET', '/accounts/:account/invitations', 'accounts', member.invitations],
    ['POST', '/accounts/:account/invitations', 'accounts', member.invite],
    ['POST', '/accounts/:account/invitations/:invitation_id/renew', 'accounts', member.renew],
    ['DELETE', '/accounts/:account/invitations/:invitation_id', 'accounts', member.revoke],
    ['POST', '/accounts/:account/credits', 'money', money.credit],
    ['POST', '/accounts/:account/debits', 'money', money.debit],
    ['GET', '/accounts/:account/statements/:month/csv', 'money', money.statementTable],
    ['GET', '/margins', 'money', marginsCall(deps)],
    ['GET', '/keys', 'accounts', key.list],
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
    ['GET', '/audit', 'system', auditCall(deps)],
  ] as const satisfies readonly WrittenRow[];
}
