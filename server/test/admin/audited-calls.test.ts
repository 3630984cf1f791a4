import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import { after, test } from 'node:test';
import { fillWithFinishedJobs } from '../../../bench/fill.ts';
import { insertReport } from '../../src/jobs/reports/report-store.ts';
import { openCircuit } from '../../src/jobs/routes/circuit-store.ts';
import { addPerson } from '../panel/browser.ts';
import { receiverNetwork, startReceiver } from '../webhooks/support/receiver.ts';
import { openWorld } from '../world/world.ts';
import { adminSender, makeAdminKey } from './admin-client.ts';

const world = await openWorld({ worker: false, env: { DARKROOM_ALLOW_NETWORKS: receiverNetwork } });
after(() => world[Symbol.asyncDispose]());
const { key } = await makeAdminKey(world, 'auditor', ['accounts', 'money', 'models', 'system']);
const send = adminSender(world, key);

interface Entry {
  audit_id: string;
  by: string;
  address: string | null;
  action: string;
  detail: Record<string, unknown>;
}

interface Step {
  path: string;
  body?: object;
  /** Null: the call changes nothing. */
  entry: string | null;
  /** The recorded detail: the new values, and the old ones. */
  detail?: Record<string, unknown>;
}

const text = String;

async function* steps(): AsyncGenerator<[operation: string, step: Step]> {
  yield ['createAccount', { path: '/accounts', body: { name: 'acme' }, entry: 'account.created' }];
  const acme = '/accounts/acme';
  const money = { amount: '5', reference: 'r-1' };
  yield [
    'creditAccount',
    {
      ...{ path: `${acme}/credits`, body: money, entry: 'account.credited' },
      detail: { amount: '5.00', balance_before: '0.00', balance_after: '5.00' },
    },
  ];
  yield [
    'debitAccount',
    {
      ...{ path: `${acme}/debits`, body: { amount: '1', reason: 'fee' }, entry: 'account.debited' },
      detail: { amount: '1.00', balance_before: '5.00', balance_after: '4.00' },
    },
  ];
  yield [
    'createVouchers',
    {
      ...{ path: '/vouchers', body: { amount: '5', count: 2 }, entry: 'vouchers.created' },
      detail: { amount: '5.00', count: 2, uses: 1 },
    },
  ];
  const { data } = (await send('GET', '/vouchers')).body as { data: { voucher_batch_id: string }[] };
  yield ['withdrawVouchers', { path: `/vouchers/${data[0]?.voucher_batch_id}`, entry: 'vouchers.withdrawn' }];
  const rate = { provider: 'openai', model: 'gpt-image-2', rates: { image_out: '28' } };
  yield [
    'saveRate',
    { path: '/rates', body: rate, entry: 'rate.changed', detail: { from: null, to: 'image_out 28.00' } },
  ];
  const group = '/price-groups/resellers';
  const saved = { path: group, detail: { factor: '0.8', prices: 0, version: 1 } };
  yield ['savePriceGroup', { ...saved, body: { factor: '0.80' }, entry: 'price_group.added' }];
  yield [
    'changeAccount',
    {
      ...{ path: acme, body: { price_group: 'resellers' }, entry: 'account.price_group_changed' },
      detail: { from: null, to: 'resellers' },
    },
  ];
  await send('PATCH', acme, { price_group: null });
  yield ['removePriceGroup', { path: group, entry: 'price_group.removed' }];
  const looks = { accent: null, support: null, terms: null, privacy: null, logo: null };
  const branded = { path: '/brand', body: { name: 'Acme' }, detail: { name: 'Acme', ...looks } };
  yield ['previewBrand', { path: '/brand/preview', body: { name: 'Acme' }, entry: null }];
  yield ['saveBrand', { ...branded, entry: 'brand.changed' }];
  yield ['removeBrand', { path: '/brand', entry: 'brand.removed' }];
  const limits = { body: { spend_day: '5' }, detail: { spend_day: '5.00', spend_day_before: 'default' } };
  yield ['changeAccountLimits', { path: `${acme}/limits`, ...limits, entry: 'account.limits_changed' }];
  yield [
    'changeRetention',
    {
      ...{ path: `${acme}/retention`, body: { pictures: 7 }, entry: 'account.retention_changed' },
      detail: { pictures_days: 7, pictures_days_before: null },
    },
  ];
  yield [
    'changeAccountAlerts',
    {
      ...{ path: `${acme}/alerts`, body: { balance_low: '1' }, entry: 'account.alerts_changed' },
      detail: { balance_low: '1.00', balance_low_before: null },
    },
  ];
  yield [
    'disableAccount',
    { path: `${acme}/disable`, body: { reason: 'unpaid' }, entry: 'account.disabled' },
  ];
  yield [
    'enableAccount',
    {
      path: `${acme}/enable`,
      entry: 'account.enabled',
      detail: { reason: undefined, reason_before: 'unpaid' },
    },
  ];

  const personId = await addPerson(world, { email: 'ada@example.com', accountId: await idOf('acme') });
  const member = `${acme}/members/${personId}`;
  const role = { before: 'owner', role: 'viewer' };
  yield [
    'changeMemberRole',
    { path: member, body: { role: 'viewer' }, entry: 'member.role_changed', detail: role },
  ];
  yield ['removeMember', { path: member, entry: 'member.removed', detail: { role_before: 'viewer' } }];
  yield ['deletePerson', { path: `/people/${personId}`, entry: 'person.deleted', detail: {} }];
  yield [
    'inviteMember',
    {
      path: `${acme}/invitations`,
      body: { role: 'billing' },
      entry: 'member.invited',
      detail: { role: 'billing' },
    },
  ];
  const invitation = async () =>
    `${acme}/invitations/${text((await rows(`${acme}/invitations`))[0]?.invitation_id)}`;
  yield ['renewInvitation', { path: `${await invitation()}/renew`, entry: 'invitation.renewed' }];
  yield ['revokeInvitation', { path: await invitation(), entry: 'invitation.revoked' }];

  yield ['createKey', { path: `${acme}/keys`, body: { name: 'ci' }, entry: 'key.created' }];
  const keyPath = async () => `/keys/${text((await rows('/keys?account=acme'))[0]?.key_id)}`;
  const keyLimits = { path: `${await keyPath()}/limits`, entry: 'key.limits_changed' };
  yield ['changeKeyLimits', { ...keyLimits, ...limits }];
  yield [
    'changeKey',
    {
      ...{ path: await keyPath(), body: { networks: ['203.0.113.0/24'] }, entry: 'key.networks_changed' },
      detail: { networks: '203.0.113.0/24', networks_before: null },
    },
  ];
  const roll = { body: { overlap: 60 }, detail: { overlap_seconds: 60 } };
  yield ['rollKey', { path: `${await keyPath()}/roll`, ...roll, entry: 'key.rolled' }];
  yield ['disableKey', { path: `${await keyPath()}/disable`, entry: 'key.disabled' }];

  await using receiver = await startReceiver();
  const origin = { origin: new URL(receiver.url).origin, events: 'all' };
  const own = `${acme}/webhooks/default`;
  yield [
    'replaceEndpoint',
    { path: own, body: { url: receiver.url }, entry: 'webhook.added', detail: origin },
  ];
  const added = { url: 'https://example.com/more' };
  yield ['addEndpoint', { path: `${acme}/webhooks`, body: added, entry: 'webhook.added' }];
  const endpoint = `${acme}/webhooks/${text((await rows(`${acme}/webhooks`))[1]?.endpoint_id)}`;
  yield ['revealEndpointSecret', { path: `${endpoint}/reveal`, entry: 'webhook.secret_revealed' }];
  yield ['rotateEndpointSecret', { path: `${endpoint}/rotate`, body: {}, entry: 'webhook.secret_rotated' }];
  yield ['testEndpoint', { path: `${own}/test`, body: {}, entry: null }];
  yield [
    'changeEndpoint',
    {
      ...{ path: endpoint, body: { enabled: false, events: ['job.failed'] }, entry: 'webhook.changed' },
      detail: { enabled: 'no', enabled_before: 'yes', events: 'job.failed', events_before: 'all' },
    },
  ];
  yield ['removeEndpoint', { path: endpoint, entry: 'webhook.removed' }];

  await send('PUT', '/accounts/tests/webhooks/default', { url: 'https://example.com/tests' });
  const jobId = await world.create();
  const tags = { job_ids: [jobId], add: ['spring'] };
  yield ['changeTags', { path: '/accounts/tests/jobs/tags', body: tags, entry: null }];
  yield ['addTag', { path: `/jobs/${jobId}/tags/draft`, entry: null }];
  yield ['removeTag', { path: `/jobs/${jobId}/tags/draft`, entry: null }];
  yield ['starJob', { path: `/jobs/${jobId}/star`, entry: null }];
  yield ['unstarJob', { path: `/jobs/${jobId}/star`, entry: null }];
  yield ['cancelJob', { path: `/jobs/${jobId}/cancel`, entry: 'job.cancelled' }];
  const requests = [{ model: 'nb2', mode: 'text', body: { prompt: 'x', aspect_ratio: '1:1' } }];
  const { batch_id: batchId } = (await world.send('POST', '/batches', { body: { requests } })).body;
  const batch = `/accounts/tests/batches/${text(batchId)}`;
  yield ['cancelBatch', { path: `${batch}/cancel`, entry: 'batch.cancelled' }];
  const tests = '/accounts/tests/deliveries';
  await send('PUT', '/accounts/tests/webhooks/default', { url: 'https://example.com/later' });
  yield ['replayDeliveries', { path: `${tests}/replay`, body: {}, entry: 'deliveries.replayed' }];
  await send('PUT', '/accounts/tests/webhooks/default', { url: 'https://example.com/tests' });
  const delivery = text((await rows(tests))[0]?.delivery_id);
  yield ['replayDelivery', { path: `${tests}/${delivery}/replay`, entry: 'delivery.replayed' }];
  await fillWithFinishedJobs(world.app.database, world.accountId, 1);
  const [done] = await rows('/jobs?status=done');
  yield ['deleteImage', { path: `/jobs/${text(done?.job_id)}/image`, entry: 'image.deleted' }];

  const [model] = (await send('GET', '/models/export')).body.models as { id: string }[];
  const models = { models: [{ ...model, name: 'Renamed' }], apply: true };
  yield ['applyModels', { path: '/models', body: models, entry: 'model.changed' }];
  const modelPath = `/models/${model?.id}`;
  yield ['restoreModel', { path: `${modelPath}/restore`, body: { version: 1 }, entry: 'model.changed' }];
  yield ['removeModel', { path: modelPath, entry: 'model.removed' }];
  await send('POST', `${modelPath}/restore`, { version: 1 });
  const home = { provider: 'comfyui', base_url: 'http://127.0.0.1:9' };
  yield [
    'saveConnection',
    { path: '/connections/home', body: home, entry: 'connection.added', detail: { provider: 'comfyui' } },
  ];
  yield ['checkConnection', { path: '/connections/home/check', entry: null }];
  const removed = { provider_before: 'comfyui', base_url_before: home.base_url };
  yield ['removeConnection', { path: '/connections/home', entry: 'connection.removed', detail: removed }];
  const [route] = (await send('GET', '/routes')).body.routes as { route: string }[];
  const opening = { state: 'open', openMs: 60_000, reason: 'network', detail: null, failures: 1 } as const;
  await world.app.database.transaction((tx) => openCircuit(tx, { route: text(route?.route), ...opening }));
  const routePath = `/routes/${encodeURIComponent(text(route?.route))}`;
  yield ['checkRoute', { path: `${routePath}/check`, entry: null }];
  yield ['tryRoute', { path: `${routePath}/try`, entry: 'route.tried' }];

  yield [
    'pause',
    {
      path: '/pauses/project',
      body: { reason: 'later' },
      entry: 'pause.started',
      detail: { reason: 'later' },
    },
  ];
  yield ['resume', { path: '/pauses/project', entry: 'pause.ended', detail: { reason_before: 'later' } }];
  // A report without its job, so that nothing else is deleted.
  const report = { id: randomUUID(), accountId: await idOf('acme'), jobId: randomUUID() };
  const said = { reason: 'a likeness', contact: null, address: '192.0.2.1' };
  await world.app.database.transaction((tx) => insertReport(tx, { ...report, ...said }));
  const reportPath = `/reports/${report.id}`;
  const ofJob = { job: report.jobId };
  yield ['takeDownReported', { path: `${reportPath}/take-down`, entry: 'report.taken_down', detail: ofJob }];
  yield ['resolveReport', { path: `${reportPath}/resolve`, entry: 'report.resolved', detail: ofJob }];
  yield ['selfCheck', { path: '/self-check', body: { images: false }, entry: null }];
  const file = `endpoint_id,quantity,date,cost\nfal-ai/flux-2,1,${new Date().toISOString().slice(0, 10)},0.01`;
  yield ['checkBill', { path: '/costs/check', body: { file }, entry: null }];
  yield ['exportAccount', { path: `${acme}/export`, entry: 'account.exported' }];
  yield ['eraseAccount', { path: `${acme}/erase`, body: { name: 'acme' }, entry: 'account.erased' }];
}

test('every call that changes something writes one entry: actor, address, old and new values', async () => {
  const { paths } = (await send('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const methodOf = new Map(
    Object.values(paths).flatMap((methods) =>
      Object.entries(methods).flatMap(([method, { operationId }]) =>
        method === 'get' ? [] : [[operationId, method.toUpperCase()] as const],
      ),
    ),
  );
  const done = new Set<string>();
  for await (const [operation, { path, body, entry, detail = {} }] of steps()) {
    const latest = await latestEntry();
    const answer = await send(text(methodOf.get(operation)), path, body);
    assert.ok(answer.status < 300, `${operation}: ${answer.status} ${JSON.stringify(answer.body)}`);
    const all = await entries();
    const left =
      latest === null
        ? all
        : all.slice(
            0,
            all.findIndex(({ audit_id: id }) => id === latest),
          );
    const wanted = operation === 'eraseAccount' ? ['account.erased', 'account.erasure_begun'] : [entry];
    assert.deepEqual(
      left.map(({ action }) => action),
      entry === null ? [] : wanted,
      operation,
    );
    // An erasure removes the names and addresses from all entries except its last.
    for (const { by, address } of operation === 'eraseAccount' ? left.slice(0, 1) : left)
      assert.deepEqual([by, address], ['the admin key auditor', '127.0.0.1'], operation);
    const { detail: noted = {} } = left[0] ?? {};
    for (const [name, value] of Object.entries(detail))
      assert.equal(noted[name], value, `${operation}: ${name}`);
    done.add(operation);
  }
  assert.deepEqual([...methodOf.keys()].sort(), [...done].sort());
});

async function entries(): Promise<Entry[]> {
  return (await send('GET', '/audit?limit=100')).body.data as Entry[];
}

async function latestEntry(): Promise<string | null> {
  return (await entries())[0]?.audit_id ?? null;
}

async function rows(path: string): Promise<Record<string, unknown>[]> {
  return (await send('GET', path)).body.data as Record<string, unknown>[];
}

async function idOf(account: string): Promise<string> {
  return text((await send('GET', `/accounts/${account}`)).body.account_id);
}
