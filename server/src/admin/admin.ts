import { accountCalls } from './account-calls.ts';
import type { AdminCall, PlacedAdminCall } from './admin-call.ts';
import { connectionCalls } from './connection-calls.ts';
import { type DeliveryCallDeps, deliveryCalls } from './delivery-calls.ts';
import { type JobCallDeps, jobCalls } from './job-calls.ts';
import { keyCalls } from './key-calls.ts';
import { modelCalls } from './model-calls.ts';
import { type MoneyCallDeps, moneyCalls } from './money-calls.ts';
import { systemCalls } from './system-calls.ts';

export type AdminDeps = MoneyCallDeps & JobCallDeps & DeliveryCallDeps;

/** The whole administration. */
export function adminCalls(deps: AdminDeps): PlacedAdminCall[] {
  const account = accountCalls();
  const money = moneyCalls(deps);
  const key = keyCalls();
  const job = jobCalls(deps);
  const delivery = deliveryCalls(deps);
  const model = modelCalls();
  const connection = connectionCalls();
  const system = systemCalls(deps);
  const rows: [PlacedAdminCall['method'], string, PlacedAdminCall['scope'], AdminCall][] = [
    ['GET', '/accounts', 'accounts', account.list],
    ['POST', '/accounts', 'accounts', account.create],
    ['GET', '/accounts/:account', 'accounts', account.get],
    ['POST', '/accounts/:account/disable', 'accounts', account.disable],
    ['POST', '/accounts/:account/enable', 'accounts', account.enable],
    ['GET', '/accounts/:account/limits', 'accounts', account.limits],
    ['PATCH', '/accounts/:account/limits', 'accounts', account.changeLimits],
    ['GET', '/accounts/:account/alerts', 'accounts', account.alerts],
    ['PATCH', '/accounts/:account/alerts', 'accounts', account.changeAlerts],
    ['POST', '/accounts/:account/credits', 'money', money.credit],
    ['POST', '/accounts/:account/debits', 'money', money.debit],
    ['GET', '/accounts/:account/entries', 'money', money.entries],
    ['GET', '/accounts/:account/usage', 'money', money.usage],
    ['GET', '/margins', 'money', money.margins],
    ['POST', '/accounts/:account/keys', 'accounts', key.create],
    ['GET', '/keys', 'accounts', key.list],
    ['POST', '/keys/:key_id/disable', 'accounts', key.disable],
    ['POST', '/keys/:key_id/roll', 'accounts', key.roll],
    ['GET', '/keys/:key_id/limits', 'accounts', key.limits],
    ['PATCH', '/keys/:key_id/limits', 'accounts', key.changeLimits],
    ['GET', '/jobs', 'accounts', job.list],
    ['GET', '/jobs/:job_id', 'accounts', job.get],
    ['POST', '/jobs/:job_id/cancel', 'accounts', job.cancel],
    ['GET', '/accounts/:account/deliveries', 'accounts', delivery.list],
    ['POST', '/accounts/:account/deliveries/replay', 'accounts', delivery.replayFailed],
    ['POST', '/accounts/:account/deliveries/:delivery_id/replay', 'accounts', delivery.replay],
    ['GET', '/models', 'models', model.list],
    ['POST', '/models', 'models', model.apply],
    ['GET', '/models/export', 'models', model.exportAll],
    ['GET', '/models/:model_id/versions', 'models', model.history],
    ['POST', '/models/:model_id/restore', 'models', model.restore],
    ['DELETE', '/models/:model_id', 'models', model.remove],
    ['GET', '/connections', 'models', connection.list],
    ['PUT', '/connections/:name', 'models', connection.save],
    ['POST', '/connections/:name/check', 'models', connection.check],
    ['DELETE', '/connections/:name', 'models', connection.remove],
    ['GET', '/routes', 'models', system.routes],
    ['GET', '/pauses', 'system', system.pauses],
    ['PUT', '/pauses/:scope', 'system', system.pause],
    ['DELETE', '/pauses/:scope', 'system', system.resume],
    ['GET', '/status', 'system', system.status],
    ['GET', '/audit', 'system', system.audit],
  ];
  return rows.map(([method, path, scope, call]) => ({ method, path, scope, call }));
}
