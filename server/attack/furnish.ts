import assert from 'node:assert/strict';
import { insertPaymentIfNew } from '../src/accounts/payments/payment-store.ts';
import { createUnsubscribeLinks } from '../src/accounts/people/unsubscribe-links.ts';
import type { Database } from '../src/base/db/database.ts';
import { newId } from '../src/base/std/ids.ts';
import { addPerson, password } from '../test/panel/browser.ts';
import { photo } from '../test/uploads/images.ts';
import type { Operator } from '../test/world/commands.ts';
import { type Answer, send } from './send.ts';

export type Ids = Record<string, string>;

export interface Furnished {
  accountId: string;
  key: string;
  /** A client token that is valid only on pages of `page`. It has a job of its own. */
  token: string;
  ids: Ids;
  idsOfToken: Ids;
}

export const page = 'https://app.example.com';
const image = { prompt: 'a fox', aspect_ratio: '1:1' };

export interface Site {
  url: string;
  database: Database;
  operator: Operator;
  secret: string;
}

/** Makes an account with one of everything that calls can name. The server must run jobs. */
export async function furnish({ url, database, operator, secret }: Site, name: string): Promise<Furnished> {
  const { account_id: accountId } = await operator.createAccount({ name, credit: '100' });
  const { key, key_id } = await operator.createKey(name);
  const headers = { authorization: `Bearer ${key}` };
  const api = async (method: string, path: string, body?: object | Buffer, more = {}) =>
    bodyOf(
      await send(url, {
        ...{ method, path: `/api/v1${path}` },
        headers: { ...(body && { 'content-type': 'application/json' }), ...headers, ...more },
        ...(body && { body: body instanceof Buffer ? body : JSON.stringify(body) }),
      }),
    );
  const finished = async (jobId: unknown) => {
    const job = await api('GET', `/jobs/${jobId}`, undefined, { prefer: 'wait=30' });
    assert.equal(job.status, 'done', JSON.stringify(job));
    return String(jobId);
  };

  const { endpoint_id } = await api('POST', '/webhooks', { url: `https://${name}.example/hook` });
  const { upload_id, url: input } = await api('POST', '/uploads', photo, { 'content-type': 'image/jpeg' });
  const edit = { ...image, input_images_urls: [input] };
  const job_id = await finished((await api('POST', '/nb/url-generations', edit)).job_id);
  await api('PUT', `/jobs/${job_id}/tags/spring`);
  const requests = [{ model: 'nb', mode: 'text', body: image }];
  const { batch_id } = await api('POST', '/batches', { requests });
  const { token, token_id } = await api('POST', '/client-tokens', { origin: page });
  const asToken = { authorization: `Bearer ${token}`, origin: page };
  const ofToken = await finished((await api('POST', '/nb/text-generations', image, asToken)).job_id);
  const taskOf = async (as: Record<string, string>) => {
    const answer = await send(url, {
      ...{ method: 'POST', path: '/v1/images/generations', body: JSON.stringify({ prompt: 'a fox' }) },
      headers: { ...as, 'content-type': 'application/json', prefer: 'respond-async' },
    });
    return String(bodyOf(answer).id);
  };
  const { file_id, batch } = await sendFile(url, headers);
  const { data } = await api('GET', `/deliveries?job_id=${job_id}`);
  const [delivery] = data as { delivery_id: unknown }[]; // the documented answer
  assert.ok(delivery, 'there is no delivery');
  await operator.inviteMember(name, { role: 'viewer' });
  const [invitation] = await operator.listInvitations(name);
  const { cookie, ...ofMember } = await addMember({ url, database, secret }, name, accountId);
  const person = { accountId, cookie };
  const share = { job_ids: [job_id, ofToken], with_prompts: false, days: 1 };
  const { token: shared } = await onPage(url, '/shares', person, share);
  const { album_id } = await onPage(url, '/albums', person, { name: 'best', add: [job_id] });
  const ids = {
    ...everybodys,
    ...{ account_id: accountId, account: name, key_id, job_id, upload_id: String(upload_id), tag: 'spring' },
    ...(await moneyOf(operator, name)),
    ...{
      payment_id: await payment(database, accountId),
      token_id: String(token_id),
      task_id: await taskOf(headers),
    },
    ...{ index: '0', batch_id: String(batch_id), endpoint_id: String(endpoint_id), file_id, batch },
    ...{ delivery_id: String(delivery.delivery_id), invitation_id: String(invitation?.invitation_id) },
    ...{ ...ofMember, token: String(shared), album_id: String(album_id) },
    report_id: await report(url, { token: String(shared), job_id, operator }),
  };
  return {
    accountId,
    key,
    token: String(token),
    ids,
    idsOfToken: { ...ids, job_id: ofToken, task_id: await taskOf(asToken) },
  };
}

async function addMember({ url, database, secret }: Omit<Site, 'operator'>, name: string, accountId: string) {
  const email = `member@${name}.example`;
  const who = { email, emailConfirmed: true, accountId, role: 'developer' } as const;
  const person_id = await addPerson({ app: { database } }, who);
  const unsubscribe_token = await createUnsubscribeLinks([secret]).tokenFor(database.read, email, 'all');
  assert.ok(unsubscribe_token, 'nobody has the address');
  return { cookie: await signIn(url, email), person_id, unsubscribe_token };
}

async function moneyOf(operator: Site['operator'], name: string) {
  const { voucher_batch_id } = await operator.createVouchers({ amount: '1', count: 1 });
  const { price_group_id } = await operator.savePriceGroup(`of-${name}`, {});
  return { voucher_batch_id, price_group_id };
}

/** Writes a payment as if its page had been opened, because there is no payment provider. */
async function payment(database: Database, accountId: string): Promise<string> {
  const id = newId(Date.now());
  const opened = { id, accountId, amountMicros: 1_000_000n, provider: 'stripe' };
  await database.transaction((tx) => insertPaymentIfNew(tx, opened));
  return id;
}

async function sendFile(
  url: string,
  headers: Record<string, string>,
): Promise<{ file_id: string; batch: string }> {
  const call = '/v1/images/generations';
  const line = { custom_id: 'first', method: 'POST', url: call, body: { model: 'nb', prompt: 'a fox' } };
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([JSON.stringify(line)]), 'batch.jsonl');
  const kept = new Response(form);
  const sent = await send(url, {
    ...{ method: 'POST', path: '/v1/files', body: Buffer.from(await kept.arrayBuffer()) },
    headers: { ...headers, 'content-type': kept.headers.get('content-type') ?? '' },
  });
  const file_id = String(bodyOf(sent).id);
  const asked = { input_file_id: file_id, endpoint: call, completion_window: '24h' };
  const made = await send(url, {
    ...{ method: 'POST', path: '/v1/batches', body: JSON.stringify(asked) },
    headers: { ...headers, 'content-type': 'application/json' },
  });
  return { file_id, batch: String(bodyOf(made).id) };
}

async function onPage(
  url: string,
  path: string,
  { accountId, cookie }: { accountId: string; cookie: string },
  body: object,
) {
  const made = await send(url, {
    ...{ method: 'POST', path: `/api/v1${path}` },
    headers: {
      ...{ cookie, origin: url, 'content-type': 'application/json' },
      ...{ 'darkroom-panel': '1', 'darkroom-account': accountId },
    },
    body: JSON.stringify(body),
  });
  return bodyOf(made);
}

async function report(
  url: string,
  { token, job_id, operator }: { token: string; job_id: string; operator: Operator },
): Promise<string> {
  const answer = await send(url, {
    ...{ method: 'POST', path: `/shared/${token}/report/${job_id}`, body: 'reason=a likeness' },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  assert.equal(answer.status, 201, answer.body);
  const { data } = await operator.listReports();
  return String(data.find((one) => one.job_id === job_id)?.report_id);
}

const everybodys = {
  ...{
    model: 'nb2',
    model_id: 'nb2',
    version: '1',
    scope: 'nb2',
    route: 'nb2/sketch',
    route_id: 'nb2/sketch',
  },
  ...{ call: 'nb2:generateContent', code: 'not_found', month: new Date().toISOString().slice(0, 7) },
  // In our own APIs, `name` is a connection's name.
  name: 'nb',
};

export async function signIn(url: string, email: string): Promise<string> {
  const answer = await send(url, {
    ...{ method: 'POST', path: '/panel/sign-in', body: JSON.stringify({ email, password }) },
    headers: { origin: url, 'content-type': 'application/json' },
  });
  bodyOf(answer);
  return (answer.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
}

export function bodyOf(answer: Answer): Record<string, unknown> {
  assert.ok(answer.status < 300, `${answer.status} ${answer.body}`);
  return answer.body === '' ? {} : JSON.parse(answer.body);
}
