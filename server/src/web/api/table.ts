import type { Static, TSchema } from 'typebox';
import type { CancelledDeps } from '../../jobs/cancel/end-cancelled.ts';
import type { UsageDeps } from '../../jobs/read-usage.ts';
import { type Mode, modes } from '../../upstream/catalog/models.ts';
import { type ContractOf, row } from './account-call.ts';
import type { ApiCall, ApiRow } from './api-call.ts';
import type { AdminContractOf, WrittenRow } from './installation-call.ts';
import { type AccountCallDeps, accountCalls } from './nouns/accounts/account-calls.ts';
import { type ArchiveCallDeps, archiveCalls } from './nouns/accounts/archive-calls.ts';
import { type AlbumCallDeps, albumCalls } from './nouns/albums/album-calls.ts';
import { alertCalls } from './nouns/alerts/alert-calls.ts';
import { type AuditDeps, auditCalls } from './nouns/audit/audit-calls.ts';
import { accountBatchCalls } from './nouns/batches/account-batch-calls.ts';
import { createBatchCall } from './nouns/batches/batch-calls.ts';
import { type BatchFileDeps, batchFileCalls } from './nouns/batches/batch-file-calls.ts';
import type { batchBodySchema, batchCreatedSchema } from './nouns/batches/batch-schemas.ts';
import { type BrandDeps, brandRows } from './nouns/brand/brand-rows.ts';
import { clientTokenCalls, createTokenCall } from './nouns/client-tokens/client-token-calls.ts';
import { type ConnectionCallDeps, connectionCalls } from './nouns/connections/connection-calls.ts';
import { type DeliveryDeps, deliveryCalls } from './nouns/deliveries/delivery-calls.ts';
import {
  type InstalledModelDeps,
  installedModelCalls,
} from './nouns/installed-models/installed-model-calls.ts';
import { type AccountJobDeps, accountJobCalls } from './nouns/jobs/account-job-calls.ts';
import { againCall } from './nouns/jobs/again-call.ts';
import { type AnyJobDeps, anyJobCalls } from './nouns/jobs/any-job-calls.ts';
import { createCall } from './nouns/jobs/create-calls.ts';
import { type JobCallDeps, readJobCall } from './nouns/jobs/job-calls.ts';
import type { CreateBody, createdSchema } from './nouns/jobs/job-schemas.ts';
import { jobTableCall } from './nouns/jobs/job-table-calls.ts';
import type { batchQuoteSchema, quoteSchema } from './nouns/jobs/quote-schemas.ts';
import { tagCalls } from './nouns/jobs/tag-calls.ts';
import { imageFileCall, type ZipCallDeps, zipCall } from './nouns/jobs/zip-calls.ts';
import { allKeysCall, type KeyCallDeps, keyCalls } from './nouns/keys/key-calls.ts';
import { keyLimitCalls } from './nouns/keys/key-limit-calls.ts';
import { limitCalls } from './nouns/limits/limit-calls.ts';
import { type ModelCallDeps, modelCalls } from './nouns/models/model-calls.ts';
import { balanceCall } from './nouns/money/balance-calls.ts';
import { type EntryDeps, entriesCall } from './nouns/money/entry-calls.ts';
import { entryTableCall } from './nouns/money/entry-table-call.ts';
import { type MoneyDeps, moneyRows } from './nouns/money/money-rows.ts';
import { type StatementDeps, statementCalls } from './nouns/money/statement-calls.ts';
import { usageCall } from './nouns/money/usage-calls.ts';
import { usageTableCall } from './nouns/money/usage-table-call.ts';
import { pauseCalls } from './nouns/pauses/pause-calls.ts';
import { type PaymentDeps, paymentRows } from './nouns/payments/payment-rows.ts';
import { type InvitationCallDeps, invitationCalls } from './nouns/people/invitation-calls.ts';
import { memberCalls } from './nouns/people/member-calls.ts';
import { deletePersonCall } from './nouns/people/person-calls.ts';
import { priceGroupCalls } from './nouns/price-groups/price-group-calls.ts';
import { refusalCalls } from './nouns/refusals/refusal-calls.ts';
import { reportCalls } from './nouns/reports/report-calls.ts';
import { type RetentionCallDeps, retentionCalls } from './nouns/retention/retention-calls.ts';
import { type RouteCallDeps, routeCalls } from './nouns/routes/route-calls.ts';
import { type ShareCallDeps, shareCalls } from './nouns/shares/share-calls.ts';
import { type SystemCallDeps, systemCalls } from './nouns/system/system-calls.ts';
import {
  createUploadCall,
  type StoredUploadDeps,
  type UploadCallDeps,
  uploadCalls,
  type uploadSchema,
} from './nouns/uploads/upload-calls.ts';
import { redeemVoucherCall, voucherCalls } from './nouns/vouchers/voucher-calls.ts';
import { endpointCalls, type WebhookDeps } from './nouns/webhooks/endpoint-calls.ts';
import { eventsCall } from './nouns/webhooks/event-calls.ts';

export type AccountDeps = CancelledDeps &
  KeyCallDeps &
  InvitationCallDeps &
  RetentionCallDeps &
  WebhookDeps &
  DeliveryDeps &
  EntryDeps &
  StatementDeps &
  ModelCallDeps &
  UsageDeps &
  ShareCallDeps &
  AlbumCallDeps &
  StoredUploadDeps &
  AccountJobDeps &
  ZipCallDeps &
  BatchFileDeps &
  PaymentDeps &
  Parameters<typeof tagCalls>[0];

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the table of the calls
export function accountRows(deps: AccountDeps) {
  const key = keyCalls(deps);
  const keyLimit = keyLimitCalls(deps);
  const limit = limitCalls(deps);
  const alert = alertCalls(deps);
  const retention = retentionCalls(deps);
  const batch = accountBatchCalls(deps);
  const batchFile = batchFileCalls(deps);
  const job = accountJobCalls(deps);
  const model = modelCalls(deps);
  const tag = tagCalls(deps);
  const share = shareCalls(deps);
  const album = albumCalls(deps);
  const upload = uploadCalls(deps);
  const token = clientTokenCalls(deps);
  const member = memberCalls(deps);
  const invitation = invitationCalls(deps);
  const endpoint = endpointCalls(deps);
  const delivery = deliveryCalls(deps);
  const statement = statementCalls(deps);
  const seesMoney = { right: 'see_money', scope: 'accounts', byKeys: false } as const;
  const readsMoney = { right: 'see_money', scope: 'money', byKeys: true } as const;
  const ownMoney = { ...readsMoney, scope: null } as const;
  const setsAlerts = { right: 'set_alerts', scope: 'accounts', byKeys: false } as const;
  const ofOperators = { right: 'operate', scope: 'accounts', byKeys: false } as const;
  const managesPeople = { right: 'manage_people', scope: 'accounts', byKeys: false } as const;
  const seesSetup = { right: 'see_setup', scope: 'accounts', byKeys: false } as const;
  const changesSetup = { right: 'change_setup', scope: 'accounts', byKeys: false } as const;
  const seesSecrets = { right: 'see_secrets', scope: 'accounts', byKeys: false } as const;
  const seesModels = { right: 'see_setup', scope: null, byKeys: true } as const;
  const seesEndpoints = { ...seesSetup, byKeys: true } as const;
  const changesEndpoints = { ...changesSetup, byKeys: true } as const;
  const seesImages = { right: 'see_pictures', scope: 'accounts', byKeys: true } as const;
  const makesImages = { right: 'make_pictures', scope: 'accounts', byKeys: true } as const;
  const onPages = { ...makesImages, byKeys: false } as const;
  const seesShares = { ...seesImages, scope: null, byKeys: false } as const;
  const makesShares = { ...makesImages, scope: null, byKeys: false } as const;
  const ownImages = { ...seesImages, scope: null } as const;
  const dropsUploads = { ...makesImages, scope: null } as const;
  const seesTokens = { ...seesSetup, scope: null, byKeys: true } as const;
  const dropsTokens = { ...changesSetup, scope: null, byKeys: true } as const;
  return [
    row('GET', '/batches', seesImages, batch.list),
    row('GET', '/batches/:batch_id', seesImages, batch.get),
    row('POST', '/batches/:batch_id/cancel', makesImages, batch.cancel),
    row('GET', '/batches/:batch_id/results', ownImages, batchFile.results),
    row('GET', '/batches/:batch_id/images.zip', ownImages, batchFile.images),
    row('GET', '/jobs', ownImages, job.list),
    row('GET', '/jobs.csv', ownImages, jobTableCall(deps)),
    row('GET', '/jobs/images.zip', ownImages, zipCall(deps)),
    row('GET', '/jobs/:job_id/image', ownImages, imageFileCall(deps)),
    row('POST', '/jobs/:job_id/cancel', makesImages, job.cancel),
    row('DELETE', '/jobs/:job_id/image', makesImages, job.deleteImage),
    row('POST', '/jobs/delete-images', { ...onPages, scope: null }, job.deleteImages),
    row('GET', '/tags', seesImages, tag.list),
    row('POST', '/jobs/tags', onPages, tag.changeMany),
    row('GET', '/jobs/:job_id/tags', seesImages, tag.get),
    row('PUT', '/jobs/:job_id/tags/:tag', makesImages, tag.add),
    row('DELETE', '/jobs/:job_id/tags/:tag', makesImages, tag.remove),
    row('PUT', '/jobs/:job_id/star', makesImages, tag.star),
    row('DELETE', '/jobs/:job_id/star', makesImages, tag.unstar),
    row('GET', '/uploads', ownImages, upload.list),
    row('GET', '/uploads/:upload_id', ownImages, upload.get),
    row('DELETE', '/uploads/:upload_id', dropsUploads, upload.remove),
    row('GET', '/client-tokens', seesTokens, token.list),
    row('GET', '/client-tokens/:token_id', seesTokens, token.get),
    row('DELETE', '/client-tokens/:token_id', dropsTokens, token.revoke),
    row('GET', '/shares', seesShares, share.list),
    row('POST', '/shares', makesShares, share.create),
    row('GET', '/shares/:token', seesShares, share.get),
    row('DELETE', '/shares/:token', makesShares, share.revoke),
    row('GET', '/albums', seesShares, album.list),
    row('POST', '/albums', makesShares, album.create),
    row('GET', '/albums/:album_id', seesShares, album.get),
    row('PATCH', '/albums/:album_id', makesShares, album.change),
    row('DELETE', '/albums/:album_id', makesShares, album.remove),
    row('GET', '/keys', seesSetup, key.list),
    row('POST', '/keys', changesSetup, key.create),
    row('GET', '/keys/:key_id', seesSetup, key.get),
    row('PATCH', '/keys/:key_id', changesSetup, key.change),
    row('POST', '/keys/:key_id/disable', changesSetup, key.disable),
    row('POST', '/keys/:key_id/roll', changesSetup, key.roll),
    row('GET', '/keys/:key_id/limits', seesSetup, keyLimit.list),
    row('PATCH', '/keys/:key_id/limits', changesSetup, keyLimit.change),
    row('GET', '/limits', seesMoney, limit.list),
    row('PATCH', '/limits', ofOperators, limit.change),
    row('GET', '/alerts', seesMoney, alert.get),
    row('PATCH', '/alerts', setsAlerts, alert.change),
    row('GET', '/retention', seesMoney, retention.list),
    row('PATCH', '/retention', ofOperators, retention.change),
    row('GET', '/models', seesModels, model.list),
    row('GET', '/models/:model_id', seesModels, model.get),
    row('GET', '/members', { ...managesPeople, right: 'see_people' }, member.list),
    row('PATCH', '/members/:person_id', managesPeople, member.change),
    row('DELETE', '/members/:person_id', managesPeople, member.remove),
    row('POST', '/members/:person_id/transfer', { ...managesPeople, scope: null }, member.transfer),
    row('GET', '/invitations', { ...managesPeople, right: 'see_people' }, invitation.list),
    row('POST', '/invitations', managesPeople, invitation.invite),
    row('POST', '/invitations/:invitation_id/renew', managesPeople, invitation.renew),
    row('DELETE', '/invitations/:invitation_id', managesPeople, invitation.revoke),
    row('GET', '/balance', readsMoney, balanceCall(deps)),
    row('GET', '/entries', readsMoney, entriesCall(deps)),
    row('GET', '/entries.csv', ownMoney, entryTableCall(deps)),
    ...paymentRows(deps),
    row('POST', '/vouchers/redeem', { ...setsAlerts, scope: null, byKeys: true }, redeemVoucherCall(deps)),
    row('GET', '/statements', readsMoney, statement.list),
    row('GET', '/statements/:month', readsMoney, statement.get),
    row('GET', '/statements/:month/csv', readsMoney, statement.table),
    row('GET', '/usage', readsMoney, usageCall(deps)),
    row('GET', '/usage.csv', ownMoney, usageTableCall(deps)),
    row('GET', '/webhooks', seesEndpoints, endpoint.list),
    row('POST', '/webhooks', changesEndpoints, endpoint.add),
    row('GET', '/webhooks/:endpoint_id', seesEndpoints, endpoint.get),
    row('PUT', '/webhooks/:endpoint_id', changesEndpoints, endpoint.replace),
    row('PATCH', '/webhooks/:endpoint_id', changesEndpoints, endpoint.change),
    row('DELETE', '/webhooks/:endpoint_id', changesEndpoints, endpoint.remove),
    row('POST', '/webhooks/:endpoint_id/reveal', seesSecrets, endpoint.reveal),
    row('POST', '/webhooks/:endpoint_id/rotate', changesEndpoints, endpoint.rotate),
    row('POST', '/webhooks/:endpoint_id/test', changesEndpoints, endpoint.test),
    row('GET', '/deliveries', seesEndpoints, delivery.list),
    row('GET', '/deliveries/replay', seesEndpoints, delivery.countReplayable),
    row('POST', '/deliveries/replay', changesEndpoints, delivery.replayAll),
    row('GET', '/deliveries/:delivery_id', seesImages, delivery.get),
    row('POST', '/deliveries/:delivery_id/replay', changesEndpoints, delivery.replay),
  ];
}

export type ApiDeps = JobCallDeps & UploadCallDeps & Parameters<typeof eventsCall>[0];

/** Calls that read and write HTTP themselves: streams, and the most frequent calls, which a wrapper would slow down. */
export function apiRows(deps: ApiDeps): ApiRow[] {
  const rows: [ApiRow['method'], string, ApiRow['access'], ApiRow['right'], ApiCall][] = [
    ...modes.flatMap((mode): typeof rows => [
      ['POST', `/${mode}-generations`, 'its model', 'make_pictures', createCall(deps, mode)],
      ['POST', `/:model/${mode}-generations`, 'its model', 'make_pictures', createCall(deps, mode)],
    ]),
    ['POST', '/jobs/:job_id/again', 'any key', 'make_pictures', againCall(deps)],
    ['POST', '/batches', 'any key', 'make_pictures', createBatchCall(deps)],
    ['POST', '/uploads', 'any key or token', 'make_pictures', createUploadCall(deps)],
    ['GET', '/jobs/:job_id', 'any key or token', 'see_pictures', readJobCall(deps)],
    ['GET', '/events', 'any key', null, eventsCall(deps)],
    ['POST', '/client-tokens', 'any key', null, createTokenCall(deps)],
  ];
  return rows.map(([method, path, access, right, call]) => ({ method, path, access, right, call }));
}

export type AccountContract = ContractOf<ReturnType<typeof accountRows>> & {
  [call in `POST /api/v1/:model/${Mode}-generations`]: Typed<CreateBody, typeof createdSchema>;
} & {
  // With `dry_run=true`, these calls have another answer.
  [call in `POST /api/v1/:model/${Mode}-generations?dry_run=true`]: Typed<CreateBody, typeof quoteSchema>;
} & {
  'POST /api/v1/batches': Typed<NewBatch, typeof batchCreatedSchema>;
  'POST /api/v1/batches?dry_run=true': Typed<NewBatch, typeof batchQuoteSchema>;
  'POST /api/v1/jobs/:job_id/again': Typed<undefined, typeof createdSchema>;
  'POST /api/v1/jobs/:job_id/again?dry_run=true': Typed<undefined, typeof quoteSchema>;
  'POST /api/v1/uploads': Typed<Blob, typeof uploadSchema>;
};

type NewBatch = Static<typeof batchBodySchema>;
interface Typed<Body, Reply extends TSchema> {
  body: Body;
  query: undefined;
  answer: Static<Reply>;
}

export type InstallationDeps = AccountCallDeps &
  ArchiveCallDeps &
  AnyJobDeps &
  AuditDeps &
  BrandDeps &
  ConnectionCallDeps &
  InstalledModelDeps &
  RouteCallDeps &
  SystemCallDeps &
  Parameters<typeof allKeysCall>[0] &
  MoneyDeps &
  Parameters<typeof pauseCalls>[0] &
  Parameters<typeof reportCalls>[0] &
  Parameters<typeof deletePersonCall>[0];

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the table of the calls
export function installationRows(deps: InstallationDeps) {
  const account = accountCalls(deps);
  const archive = archiveCalls(deps);
  const job = anyJobCalls(deps);
  const model = installedModelCalls(deps);
  const connection = connectionCalls(deps);
  const route = routeCalls(deps);
  const pause = pauseCalls(deps);
  const system = systemCalls(deps);
  const voucher = voucherCalls(deps);
  const priceGroup = priceGroupCalls(deps);
  const audit = auditCalls(deps);
  const report = reportCalls(deps);
  return [
    ['GET', '/accounts', 'accounts', account.list],
    ['POST', '/accounts', 'accounts', account.create],
    ['GET', '/accounts/:account', 'accounts', account.get],
    ['PATCH', '/accounts/:account', 'money', account.change],
    ['POST', '/accounts/:account/disable', 'accounts', account.disable],
    ['POST', '/accounts/:account/enable', 'accounts', account.enable],
    ['POST', '/accounts/:account/export', 'accounts', archive.exportAccount],
    ['POST', '/accounts/:account/erase', 'accounts', archive.eraseAccount],
    ['DELETE', '/people/:person', 'accounts', deletePersonCall(deps)],
    ['GET', '/vouchers', 'money', voucher.list],
    ['POST', '/vouchers', 'money', voucher.create],
    ['GET', '/vouchers/:voucher_batch_id', 'money', voucher.get],
    ['DELETE', '/vouchers/:voucher_batch_id', 'money', voucher.withdraw],
    ['GET', '/price-groups', 'money', priceGroup.list],
    ['GET', '/price-groups/:price_group_id', 'money', priceGroup.get],
    ['PUT', '/price-groups/:price_group_id', 'money', priceGroup.save],
    ['DELETE', '/price-groups/:price_group_id', 'money', priceGroup.remove],
    ['GET', '/price-groups/:price_group_id/versions', 'money', priceGroup.versions],
    ...moneyRows(deps),
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
    ...brandRows(deps),
    ['GET', '/refused-prompts', 'accounts', refusalCalls(deps).list, 'see_pictures'],
    ['GET', '/reports', 'accounts', report.list, 'see_pictures'],
    ['GET', '/reports/:report_id/image', 'accounts', report.image, 'see_pictures'],
    ['POST', '/reports/:report_id/take-down', 'accounts', report.takeDown],
    ['POST', '/reports/:report_id/resolve', 'accounts', report.resolve],
    ['GET', '/audit', 'system', audit.list],
    ['GET', '/audit.csv', 'system', audit.table],
    ['GET', '/audit.jsonl', 'system', audit.lines],
    ['GET', '/audit/choices', 'system', audit.choices],
  ] as const satisfies readonly WrittenRow[];
}

export type AdminContract = AdminContractOf<ReturnType<typeof installationRows>>;
