import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillWithFinishedJobs } from '../../../bench/fill.ts';
import { openCircuit } from '../../src/jobs/routes/circuit-store.ts';
import { type StripeEmulator, startStripe } from '../emulators/stripe.ts';
import { stableDiffusion } from '../providers/comfyui-workflows.ts';
import { photo } from '../uploads/images.ts';
import { freePort } from '../world/free-port.ts';
import { openWorld, type World } from '../world/world.ts';
import { type Browser, openMember, openOperator, password, tokenOf } from './browser.ts';
import { actOnBrand } from './support/act-on-brand.ts';
import { actOnOwnership } from './support/act-on-ownership.ts';
import { actOnPrices } from './support/act-on-prices.ts';
import { actOnReports } from './support/act-on-reports.ts';
import { actOnSignUp, signUpEnvironment } from './support/act-on-sign-up.ts';
import { Auditor, type Change, entryOf } from './support/auditor.ts';
import { addAuthenticator } from './support/authenticator.ts';
import { openDevice } from './support/device.ts';
import { editImage, email, makeImage, text } from './support/member.ts';
import { startProvider } from './support/oidc.ts';

test('every panel call that changes something writes exactly one entry, and all others write none', async () => {
  await using stripe = await startStripe();
  await using provider = await startProvider({ email: 'vouched@example.com', verified: true });
  const port = String(await freePort());
  const place = { PORT: port, DARKROOM_PUBLIC_URL: `http://localhost:${port}` };
  const { STRIPE_API_URL } = stripe.environment;
  const env = { ...place, DARKROOM_SHARING: 'true', STRIPE_API_URL, ...signUpEnvironment, ...provider.env };
  await using world = await openWorld({ worker: false, env });
  const auditor = new Auditor(world);
  const operator = await openOperator(world);
  const member = await openMember(world, { email });
  await actOnPaymentKeys(auditor, operator, stripe);
  await actOnShares(auditor, member, world);
  await actOnTopUp(auditor, member, stripe, world.url);
  await actOnJobs(auditor, member);
  await actOnBatches(auditor, member);
  await actOnVouchers(auditor, operator, member);
  await actOnKeys(auditor, member, world);
  await actOnOwnership(auditor, world);
  await actOnPasskeys(auditor, member, world.url);
  await actOnPeople(auditor, operator, member);
  await actOnSignUp(auditor, world, operator);
  await actAsOperator(auditor, operator);
  await actOnConnections(auditor, operator);
  await actOnModels(auditor, operator, world);
  await actOnReports(auditor, operator, world);
  assert.deepEqual(
    Object.keys(entryOf).filter((call) => !auditor.called.has(call as Change)), // the table's keys
    [],
  );
});

async function actOnPaymentKeys(
  auditor: Auditor,
  operator: Browser,
  { environment: { STRIPE_SECRET_KEY: secret_key, STRIPE_WEBHOOK_SECRET: webhook_secret } }: StripeEmulator,
): Promise<void> {
  const body = { secret_key, webhook_secret };
  await auditor.call(operator, 'POST /panel/operator/payment-keys', { body });
  await auditor.call(operator, 'POST /panel/operator/payment-keys/remove');
  await auditor.call(operator, 'POST /panel/operator/payment-keys', { body });
}

async function actOnTopUp(
  auditor: Auditor,
  member: Browser,
  stripe: StripeEmulator,
  url: string,
): Promise<void> {
  await auditor.nothing(member, 'POST /api/v1/top-up/card');
  stripe.saveCard();
  const { headers, body } = stripe.signed(stripe.events.at(-1) ?? {});
  assert.equal((await fetch(`${url}/payments/stripe`, { method: 'POST', headers, body })).status, 204);
  const settings = { threshold: '5', amount: '10', month_most: '50' };
  await auditor.call(member, 'PUT /api/v1/top-up', { body: settings });
  await auditor.call(member, 'DELETE /api/v1/top-up');
  await auditor.nothing(member, 'DELETE /api/v1/top-up');
}

async function actOnShares(auditor: Auditor, member: Browser, world: World): Promise<void> {
  await fillWithFinishedJobs(world.app.database, world.accountId, 1);
  const { data } = await member.call('GET /api/v1/jobs');
  const job_ids = data.map(({ job_id }) => job_id);
  const album = await auditor.call(member, 'POST /api/v1/albums', { body: { name: 'best', add: job_ids } });
  const ofAlbum = { params: { album_id: album.album_id } };
  await auditor.call(member, 'PATCH /api/v1/albums/:album_id', { ...ofAlbum, body: { name: 'worst' } });
  await auditor.call(member, 'DELETE /api/v1/albums/:album_id', ofAlbum);
  const share = { job_ids, with_prompts: true, days: 1 };
  const { token } = await auditor.call(member, 'POST /api/v1/shares', { body: share });
  const revoke = 'DELETE /api/v1/shares/:token';
  await auditor.call(member, revoke, { params: { token } });
  await auditor.nothing(member, revoke, { params: { token } });
}

async function actOnVouchers(auditor: Auditor, operator: Browser, member: Browser): Promise<void> {
  const batch = await auditor.call(operator, 'POST /admin/v1/vouchers', { body: { amount: '1', count: 1 } });
  const [code = ''] = batch.codes;
  await auditor.call(member, 'POST /api/v1/vouchers/redeem', { body: { code } });
  const withdraw = 'DELETE /admin/v1/vouchers/:voucher_batch_id';
  const params = { voucher_batch_id: batch.voucher_batch_id };
  await auditor.call(operator, withdraw, { params });
  await auditor.nothing(operator, withdraw, { params });
  await auditor.call(member, 'POST /api/v1/payments', { body: { amount: '10' } });
}

async function actOnBatches(auditor: Auditor, member: Browser): Promise<void> {
  const requests = [{ model: 'nb', mode: 'text', body: { prompt: 'a fox', aspect_ratio: '1:1' } }];
  const create = { body: { name: 'foxes', requests }, headers: { 'idempotency-key': 'all-of-it' } };
  await auditor.nothing(member, 'POST /api/v1/batches?dry_run=true', create);
  const made = await auditor.call(member, 'POST /api/v1/batches', create);
  await auditor.nothing(member, 'POST /api/v1/batches', create);
  const cancel = 'POST /api/v1/batches/:batch_id/cancel';
  const params = { batch_id: made.batch_id };
  await auditor.call(member, cancel, { params });
  await auditor.nothing(member, cancel, { params });
}

async function actOnJobs(auditor: Auditor, member: Browser): Promise<void> {
  const created = { ...text, headers: { 'idempotency-key': 'once' } };
  await auditor.call(member, `${makeImage}?dry_run=true`, text);
  const { job_id } = await auditor.call(member, makeImage, created);
  await auditor.nothing(member, makeImage, created);
  const image = { body: new Blob([new Uint8Array(photo)], { type: 'image/jpeg' }) };
  const { upload_id, url: uploaded } = await auditor.call(member, 'POST /api/v1/uploads', image);
  const edit = { ...text, body: { ...text.body, input_images_urls: [uploaded] } };
  await auditor.call(member, `${editImage}?dry_run=true`, edit);
  await auditor.call(member, editImage, edit);
  await auditor.call(member, 'DELETE /api/v1/uploads/:upload_id', { params: { upload_id } });
  const url = { body: { url: 'http://127.0.0.1/' } };
  await auditor.nothing(member, 'POST /panel/accounts/:account_id/input-preview', url);
  await auditor.nothing(member, 'POST /api/v1/jobs/tags', {
    body: { job_ids: [job_id], add: ['spring'] },
  });
  for (const method of ['PUT', 'DELETE'] as const) {
    await auditor.call(member, `${method} /api/v1/jobs/:job_id/tags/:tag`, {
      params: { job_id, tag: 'draft' },
    });
    await auditor.call(member, `${method} /api/v1/jobs/:job_id/star`, { params: { job_id } });
  }
  const again = 'POST /api/v1/jobs/:job_id/again';
  await auditor.call(member, `${again}?dry_run=true`, { params: { job_id } });
  const other = await auditor.call(member, again, { params: { job_id } });
  await auditor.call(member, 'POST /api/v1/jobs/:job_id/cancel', { params: { job_id } });
  await auditor.nothing(member, 'POST /api/v1/jobs/:job_id/cancel', {
    params: { job_id },
  });

  const deleteImages = { body: { job_ids: [job_id] } };
  await auditor.call(member, 'POST /api/v1/jobs/delete-images', deleteImages);
  await auditor.nothing(member, 'POST /api/v1/jobs/delete-images', deleteImages);

  const add = 'POST /api/v1/webhooks';
  const change = 'PATCH /api/v1/webhooks/:endpoint_id';
  const failed = 'POST /api/v1/deliveries/replay';
  const since = { body: { from: '2020-01-01T00:00:00Z', tried: true } };
  const added = { body: { url: 'https://example.com/first', events: null } };
  const { endpoint_id } = await auditor.call(member, add, added);
  const endpoint = { params: { endpoint_id } };
  await auditor.nothing(member, add, added);
  await auditor.nothing(member, failed, since);
  await auditor.call(member, 'POST /api/v1/jobs/:job_id/cancel', {
    params: { job_id: other.job_id },
  });
  const ended = { params: { job_id: other.job_id } };
  await auditor.call(member, 'DELETE /api/v1/jobs/:job_id/image', ended);
  await auditor.nothing(member, 'DELETE /api/v1/jobs/:job_id/image', ended);
  const waiting = { body: { pending: true } };
  await auditor.nothing(member, failed, waiting);
  await auditor.postponeDeliveries();
  await auditor.call(member, failed, waiting);
  await auditor.call(member, change, { ...endpoint, body: { url: 'https://example.com/hook' } });
  await auditor.call(member, failed, since);
  await auditor.nothing(member, failed, since);
  const { data } = await member.call('GET /api/v1/deliveries');
  const replay = 'POST /api/v1/deliveries/:delivery_id/replay';
  const params = { delivery_id: data[0]?.delivery_id ?? '' };
  await auditor.nothing(member, replay, { params });
  await auditor.call(member, change, { ...endpoint, body: { url: 'https://example.com/other' } });
  await auditor.call(member, replay, { params });
  await auditor.call(member, change, { ...endpoint, body: { url: 'https://example.com/third' } });
  await auditor.call(member, 'POST /api/v1/webhooks/:endpoint_id/reveal', endpoint);
  await auditor.call(member, 'POST /api/v1/webhooks/:endpoint_id/rotate', { ...endpoint, body: {} });
  const whole = { ...endpoint, body: { url: 'https://example.com/whole' } };
  await auditor.call(member, 'PUT /api/v1/webhooks/:endpoint_id', whole);
  const remove = 'DELETE /api/v1/webhooks/:endpoint_id';
  await auditor.call(member, remove, endpoint);
  await auditor.nothing(member, remove, endpoint);
  await auditor.nothing(member, 'POST /api/v1/webhooks/:endpoint_id/test', endpoint);
}

async function actOnKeys(auditor: Auditor, member: Browser, world: World): Promise<void> {
  const token = await world.send('POST', '/client-tokens', { body: {} });
  const revoke = 'DELETE /api/v1/client-tokens/:token_id';
  await auditor.call(member, revoke, { params: { token_id: String(token.body.token_id) } });
  const body = { name: 'ci', models: ['nb2'] };
  const key = await auditor.call(member, 'POST /api/v1/keys', { body });
  const roll = { params: { key_id: key.key_id }, body: { overlap: 3600 } };
  await auditor.call(member, 'POST /api/v1/keys/:key_id/roll', roll);
  const params = { key_id: key.key_id };
  const limits = { open: 20 };
  await auditor.call(member, 'PATCH /api/v1/alerts', {
    body: { balance_low: '5', spend_near_percent: 80 },
  });
  await auditor.call(member, 'PATCH /api/v1/keys/:key_id', {
    params,
    body: { limits },
  });
  await auditor.call(member, 'PATCH /api/v1/keys/:key_id/limits', { params, body: limits });
  await auditor.call(member, 'POST /api/v1/keys/:key_id/disable', { params });
  await auditor.nothing(member, 'POST /api/v1/keys/:key_id/disable', { params });
  const asked = { client_id: 'x', redirect_uri: 'x', response_type: 'code', code_challenge: 'x' };
  const request = { ...asked, code_challenge_method: 'S256' };
  await auditor.nothing(member, 'POST /panel/grants/look', { body: request });
  const grant = { body: { ...request, models: null } };
  await auditor.nothing(member, 'POST /panel/accounts/:account_id/grants', grant);
}

async function actOnPasskeys(auditor: Auditor, member: Browser, url: string): Promise<void> {
  const device = openDevice(url);
  const body = { current_password: password };
  const offered = await auditor.call(member, 'POST /panel/session/passkeys/offer', { body });
  const made = { name: 'laptop', ...device.create(offered.options) };
  await auditor.call(member, 'POST /panel/session/passkeys', { body: made });
  await auditor.nothing(member, 'POST /panel/session/passkeys', { body: made });
  const { options } = await auditor.call(member, 'POST /panel/sign-in/passkey/offer');
  await auditor.call(member, 'POST /panel/sign-in/passkey', { body: device.get(options) });
  const { data } = await member.call('GET /panel/session/passkeys');
  const remove = { params: { passkey_id: data[0]?.passkey_id ?? '' }, body };
  await auditor.call(member, 'POST /panel/session/passkeys/:passkey_id/remove', remove);
  await auditor.nothing(member, 'POST /panel/session/passkeys/:passkey_id/remove', remove);
}

async function actOnPeople(auditor: Auditor, operator: Browser, member: Browser): Promise<void> {
  const { person } = await member.call('GET /panel/session');
  const params = { person_id: person.person_id };
  await auditor.call(member, 'POST /panel/session/credentials', { body: { name: 'Ada' } });
  await auditor.call(member, 'POST /panel/session/end-others', { body: {} });
  await auditor.call(member, 'POST /panel/session/emails', { body: { off: ['keys'] } });
  await auditor.call(member, 'POST /panel/session/language', { body: { language: 'de' } });
  await member.call('POST /panel/sign-in', { body: { email, password } });
  const { data: sessions } = await member.call('GET /panel/session/sessions');
  const session = { params: { session_id: sessions.at(-1)?.session_id ?? '' }, body: {} };
  await auditor.call(member, 'POST /panel/session/sessions/:session_id/end', session);
  await auditor.nothing(member, 'POST /panel/session/sessions/:session_id/end', session);
  await auditor.call(member, 'POST /panel/session/authenticator', { body: { password } });
  const { code } = await addAuthenticator(member);
  await auditor.call(member, 'POST /panel/sign-in', { body: { email, password } });
  await auditor.call(member, 'POST /panel/sign-in/code', { body: { code: code() } });
  await auditor.call(member, 'POST /panel/session/authenticator/remove', { body: { password } });
  await addAuthenticator(member, (options) =>
    auditor.call(member, 'POST /panel/session/authenticator/confirm', options),
  );
  await auditor.nothing(member, 'POST /panel/sign-in/oidc', { body: {} });
  await auditor.call(member, 'POST /panel/sign-out');

  const confirm = 'POST /panel/operator/people/:person_id/confirm-email';
  await auditor.call(operator, confirm, { params, body: { email } });
  await auditor.nothing(operator, confirm, { params, body: { email: 'grace@example.com' } });
  await auditor.call(operator, 'POST /panel/operator/people/:person_id/link', { params });

  const setRole = 'PATCH /api/v1/members/:person_id';
  await auditor.call(operator, setRole, { params, body: { role: 'billing' } });
  await auditor.nothing(operator, setRole, { params, body: { role: 'billing' } });
  const remove = 'DELETE /api/v1/members/:person_id';
  await auditor.call(operator, remove, { params });
  await auditor.nothing(operator, remove, { params });
  await auditor.call(operator, 'DELETE /admin/v1/people/:person', {
    params: { person: person.person_id },
  });
  await auditor.call(operator, 'POST /api/v1/invitations', { body: {} });
  const readInvitation = async () => {
    const { data: invitations } = await operator.call('GET /api/v1/invitations');
    return { params: { invitation_id: invitations[0]?.invitation_id ?? '' } };
  };
  const readOperators = async () => {
    const { invitations } = await operator.call('GET /panel/operator/operators');
    return { params: { invitation_id: invitations[0]?.invitation_id ?? '' } };
  };
  await auditor.call(operator, 'POST /panel/operator/operators/invite', { body: {} });
  for (const [renew, revoke, read] of [
    [
      'POST /api/v1/invitations/:invitation_id/renew',
      'DELETE /api/v1/invitations/:invitation_id',
      readInvitation,
    ],
    [
      'POST /panel/operator/invitations/:invitation_id/renew',
      'POST /panel/operator/invitations/:invitation_id/revoke',
      readOperators,
    ],
  ] as const) {
    const before = await read();
    await auditor.call(operator, renew, before);
    await auditor.nothing(operator, renew, before);
    const invitation = await read();
    await auditor.call(operator, revoke, invitation);
    await auditor.nothing(operator, revoke, invitation);
  }
  const { url } = await auditor.call(operator, 'POST /panel/operator/operators/invite', { body: {} });
  await auditor.call(member, 'POST /panel/links/look', { body: { token: tokenOf(url) } });
  const newcomer = { token: tokenOf(url), email: 'grace@example.com', password };
  const { person: grace } = await auditor.call(member, 'POST /panel/links/open', { body: newcomer });
  await auditor.nothing(member, 'POST /panel/links/open', { body: newcomer });
  const removeOperator = 'POST /panel/operator/operators/:person_id/remove';
  await auditor.call(operator, removeOperator, { params: { person_id: grace.person_id } });
  await auditor.nothing(operator, removeOperator, { params: { person_id: grace.person_id } });
}

async function actAsOperator(auditor: Auditor, operator: Browser): Promise<void> {
  const account = { body: { name: 'shop', credit: '5' } };
  const { account_id } = await auditor.call(operator, 'POST /admin/v1/accounts', account);
  await auditor.nothing(operator, 'POST /admin/v1/accounts', account);
  const params = { account_id };
  const credit = { params, body: { amount: '1', reason: 'gift' } };
  await auditor.call(operator, 'POST /admin/v1/accounts/:account/credits', credit);
  const disable = { params, body: { reason: 'unpaid' } };
  await auditor.call(operator, 'POST /admin/v1/accounts/:account/disable', disable);
  await auditor.call(operator, 'POST /admin/v1/accounts/:account/enable', { params });
  await actOnPrices(auditor, operator, params);
  await actOnBrand(auditor, operator);
  const limits = { params, body: { open: 20 } };
  await auditor.call(operator, 'PATCH /api/v1/limits', limits);
  const kept = { params, body: { pictures: 7 } };
  await auditor.call(operator, 'PATCH /api/v1/retention', kept);
  await auditor.call(operator, 'PUT /admin/v1/pauses/:scope', { params: { scope: 'project' }, body: {} });
  const resume = 'DELETE /admin/v1/pauses/:scope';
  await auditor.call(operator, resume, { params: { scope: 'project' } });
  await auditor.nothing(operator, resume, { params: { scope: 'project' } });
  await auditor.nothing(operator, 'POST /admin/v1/routes/:route/check', {
    params: { route: 'nb2/test' },
  });
  await auditor.call(operator, 'POST /admin/v1/self-check', { body: {} });
  const file = `endpoint_id,quantity,date,cost\nfal-ai/flux-2,1,${new Date().toISOString().slice(0, 10)},0.01`;
  await auditor.call(operator, 'POST /admin/v1/costs/check', { body: { file } });
}

async function actOnConnections(auditor: Auditor, operator: Browser): Promise<void> {
  const connection = { provider: 'comfyui', base_url: 'http://127.0.0.1:9' };
  const params = { name: 'home' };
  await auditor.call(operator, 'POST /panel/operator/connections/try', { body: connection });
  for (const name of ['home', 'unused']) {
    const save = { params: { name }, body: { ...connection, replaces: false } };
    await auditor.call(operator, 'PUT /admin/v1/connections/:name', save);
    await auditor.nothing(operator, 'PUT /admin/v1/connections/:name', save);
  }
  await auditor.call(operator, 'POST /admin/v1/connections/:name/check', { params });
  await auditor.call(operator, 'POST /panel/operator/connections/:name/offers', { params });
  const workflow = JSON.stringify(stableDiffusion);
  const read = 'POST /panel/operator/connections/:name/workflow';
  const found = await auditor.call(operator, read, { params, body: { workflow } });
  const made = {
    ...{ id: 'sd', name: 'SD', price: '0.01', ratios: ['1:1'], megapixels: 1, workflow, parameters: [] },
    choice: found.ok ? found.choice : {},
  };
  const add = 'POST /panel/operator/connections/:name/workflow-models';
  await auditor.call(operator, add, { params, body: made });
  await auditor.nothing(operator, add, { params, body: made });
  const settings = { workflows: [{ '1': { class_type: 'X', inputs: { text: '{{prompt}}' } } }] };
  const serving = { models: [{ model: 'nb', settings, place: 'first' }] };
  const serve = 'POST /panel/operator/connections/:name/serve';
  await auditor.call(operator, serve, { params, body: serving });
  await auditor.nothing(operator, serve, { params, body: serving });
  const model = { id: 'own', name: 'Own', settings, ratios: ['1:1'], max_inputs: 0, prices: { '1K': '1' } };
  await auditor.call(operator, 'POST /panel/operator/connections/:name/models', { params, body: model });
  const remove = 'DELETE /admin/v1/connections/:name';
  await auditor.call(operator, remove, { params: { name: 'unused' } });
  await auditor.nothing(operator, remove, { params: { name: 'unused' } });
}

async function actOnModels(auditor: Auditor, operator: Browser, world: World): Promise<void> {
  const { definition } = await operator.call('GET /panel/operator/models/:model_id', {
    params: { model_id: 'nb' },
  });
  const copy = { ...definition, id: 'copy' };
  const params = { model_id: 'copy' };
  const apply = 'POST /admin/v1/models';
  const added = { body: { models: [copy], if_versions: { copy: null }, apply: true } };
  await auditor.call(operator, apply, added);
  await auditor.nothing(operator, apply, added);
  const renamed = { models: [{ ...copy, name: 'Copy' }], if_versions: { copy: 1 } };
  await auditor.nothing(operator, apply, { body: renamed });
  assert.equal((await operator.try(apply, { body: { ...renamed, apply: true } })).status, 200);
  await auditor.nothing(operator, apply, { body: { ...renamed, apply: true } });
  await auditor.call(operator, 'DELETE /admin/v1/models/:model_id', { params, query: { if_version: '2' } });
  const restore = { params, body: { version: 1, if_version: 3 } };
  await auditor.call(operator, 'POST /admin/v1/models/:model_id/restore', restore);

  const route = { params: { route: 'nb/home' } };
  const opening = { state: 'open', openMs: 60_000, reason: 'network', detail: null, failures: 1 } as const;
  await world.app.database.transaction((tx) => openCircuit(tx, { route: 'nb/home', ...opening }));
  await auditor.call(operator, 'POST /admin/v1/routes/:route/try', route);
  await auditor.nothing(operator, 'POST /admin/v1/routes/:route/try', route);
}
