import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { StoreError } from '../../src/images/image-store.ts';
import { makeReport } from '../../src/jobs/reports/make-report.ts';
import { insertReport } from '../../src/jobs/reports/report-store.ts';
import { resolveReport } from '../../src/jobs/reports/resolve-report.ts';
import { sweepRows } from '../../src/jobs/upkeep/sweep-rows.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { bearer } from '../http/support/requests.ts';
import { openMember } from '../panel/browser.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld({ env: { DARKROOM_SHARING: 'true' } });
after(() => world[Symbol.asyncDispose]());
const admin = await openAdministration(world);

async function shareOf(name: string, images = 1) {
  const { accountId, key } = await world.account(name, { creditMicros: 1_000_000n });
  const jobIds: string[] = [];
  for (let nth = 0; nth < images; nth++)
    jobIds.push(await world.create('/nb2/text-generations', { prompt: `secret of ${name}` }, bearer(key)));
  for (const id of jobIds) await world.finished(id, key);
  const member = await openMember(world, { email: `${name}@example.com`, accountId });
  const { url } = await member.call('POST /api/v1/shares', {
    params: { account_id: accountId },
    body: { job_ids: jobIds, with_prompts: false, days: 1 },
  });
  return { accountId, key, jobIds, url };
}

const send = (url: string, body: string | undefined, type = 'application/x-www-form-urlencoded') =>
  fetch(url, { method: 'POST', headers: { 'content-type': type }, ...(body !== undefined && { body }) });

async function evidenceKeys(): Promise<string[]> {
  return (await Array.fromAsync(world.app.images.list('evidence/'))).map(({ key }) => key);
}

test('anyone who sees an image can report it; operators take it down, keep the evidence and resolve', async () => {
  const { accountId, key, jobIds, url } = await shareOf('reported', 2);
  const [jobId = '', other = ''] = jobIds;
  const page = await (await fetch(url)).text();
  const link = `${url}/report/${jobId}`;
  assert.ok(page.includes(`href="${new URL(link).pathname}"`));
  const form = await fetch(link);
  assert.match(form.headers.get('content-security-policy') ?? '', /form-action 'self'/);
  const words = await form.text();
  assert.match(words, /<textarea id="reason" name="reason"/);
  const [, shown = ''] = /<img src="([^"]+)"/.exec(words) ?? [];
  assert.ok(shown.includes(jobId));
  assert.equal((await fetch(new URL(shown, url))).status, 200);
  const sent = await send(
    link,
    new URLSearchParams({ reason: ' It <b>shows</b> me. ', contact: 'me@example.com' }).toString(),
  );
  assert.equal(sent.status, 201);
  assert.match(await sent.text(), /Thank you/);

  const [report, ...more] = (await admin().listReports()).data;
  assert.deepEqual(more, []);
  const { report_id: id = '' } = report ?? {};
  assert.deepEqual(
    [report?.job_id, report?.account_name, report?.reason, report?.contact, report?.evidence],
    [jobId, 'reported', 'It <b>shows</b> me.', 'me@example.com', null],
  );
  const original = Buffer.concat(await Array.fromAsync(admin().reportedImage(id)));
  assert.equal(original.subarray(1, 4).toString(), 'PNG');

  const before = await world.send('GET', `/jobs/${jobId}`, { headers: bearer(key) });
  const { image_url } = before.body.result as { image_url: string };
  for (let twice = 0; twice < 2; twice++) {
    const { evidence } = await admin().takeDown(id);
    assert.deepEqual([evidence?.prompt, evidence?.model], ['secret of reported', 'nb2']);
  }
  assert.equal((await fetch(image_url)).status, 410);
  const left = await (await fetch(url)).text();
  assert.ok(!left.includes(jobId) && left.includes(other));
  assert.equal((await fetch(link)).status, 404);
  const kept = Buffer.concat(await Array.fromAsync(admin().reportedImage(id)));
  assert.ok(kept.equals(original));
  assert.equal((await evidenceKeys()).length, 1);

  assert.equal((await admin().resolveReport(id)).evidence, null);
  const resolved = await admin().resolveReport(id);
  assert.ok(resolved.resolved_at);
  assert.equal(resolved.resolver?.kind, 'admin_key');
  assert.deepEqual(await evidenceKeys(), []);
  await assert.rejects(admin().takeDown(id), { code: 'invalid_request' });
  await assert.rejects(Array.fromAsync(admin().reportedImage(id)), { code: 'image_gone' });
  assert.deepEqual((await admin().listReports()).data, []);
  assert.equal((await admin().listReports({ status: 'resolved' })).data[0]?.report_id, id);
  const { data } = await admin().listAuditEntries({ account: accountId });
  const actions = data.map(({ action }) => action).filter((action) => /^(report|image)/.test(action));
  assert.deepEqual(actions, ['report.resolved', 'image.deleted', 'report.taken_down', 'report.made']);
  await world.elapse(90 * 24 * 60 * 60_000 + 1);
  await sweepRows({ database: world.app.database, log: silentLog }, new AbortController().signal);
  assert.deepEqual((await admin().listReports({ status: 'resolved' })).data, []);
});

test('an invalid report is refused, a flood is slowed down, and one image cannot fill the inbox', async () => {
  const { jobIds, url } = await shareOf('flooded');
  const link = `${url}/report/${jobIds[0]}`;
  const long = (of: number) => new URLSearchParams({ reason: 'x'.repeat(of) }).toString();
  for (const [body, type, status] of [
    ['', undefined, 422],
    ['reason=+', undefined, 422],
    ['reason=x&more=y', undefined, 422],
    [long(2_001), undefined, 422],
    [long(30_000), undefined, 413],
    ['{"reason":7}', 'application/json', 422],
    ['reason', 'text/plain', 415],
  ] as const) {
    const answer = await send(link, body, type);
    assert.equal(answer.status, status, `${body.slice(0, 20)} ${type}`);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.match(await answer.text(), /<p role="alert">Your report was not sent\. /);
  }
  const again = await (await send(link, 'reason=<b>&contact="&more=y')).text();
  assert.match(again, /required>&lt;b&gt;<\/textarea>/);
  assert.match(again, /value="&quot;"/);
  for (const wrong of [
    `${url}/report/${crypto.randomUUID()}`,
    `${url}x/report/${jobIds[0]}`,
    `${url}/report/x`,
  ]) {
    const none = await fetch(wrong);
    assert.equal(none.status, 404, wrong);
    assert.match(await none.text(), /<h1>Nothing is here to report<\/h1>/);
  }
  await world.elapse(600_000);
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, nth) => send(link, `reason=at+once+${nth}`)),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 201, 201, 429]);
  await world.elapse(600_000);
  for (let nth = 0; nth < 5; nth++) assert.equal((await send(link, `reason=${nth}`)).status, 201);
  await world.elapse(600_000);
  assert.equal((await send(link, 'reason=x')).status, 201);
  assert.equal((await Array.fromAsync(admin().listReports({ limit: 3 }))).length, 10);
});

test('a form accepts line breaks as browsers send them, and every script', async () => {
  const { jobIds, url } = await shareOf('scripts');
  await world.elapse(600_000);
  const lines = '\r\n'.repeat(1_998);
  for (const reason of [`a${lines}b`, '絵'.repeat(2_000)]) {
    const form = new URLSearchParams({ reason, contact: '絵'.repeat(200) }).toString();
    assert.equal((await send(`${url}/report/${jobIds[0]}`, form)).status, 201);
  }
  const { data } = await admin().listReports({ limit: 2 });
  assert.deepEqual(
    data.map(({ reason }) => reason.length),
    [2_000, 2_000],
  );
});

test('a report that is sent twice counts once, and its sender is not in the account’s archive', async () => {
  const { accountId, jobIds, url } = await shareOf('twice');
  await world.elapse(600_000);
  const link = `${url}/report/${jobIds[0]}`;
  for (const body of ['reason=x', 'reason=x', 'reason=x&contact=y'])
    assert.equal((await send(link, body)).status, 201);
  const own = async () =>
    (await admin().listReports({ limit: 100 })).data.filter(({ account_id }) => account_id === accountId);
  assert.deepEqual(
    (await own()).map(({ contact, address }) => [contact, address]),
    [
      ['y', '127.0.0.1'],
      [null, '127.0.0.1'],
    ],
  );
  const { data } = await admin().listAuditEntries({ account: accountId, action: 'report.made' });
  assert.deepEqual(
    data.map(({ by, address }) => [by, address]),
    [
      ['a visitor', null],
      ['a visitor', null],
    ],
  );
});

test('without room for a copy, an image is not taken down, and the operator is told what to do', async (context) => {
  const { jobIds, url } = await shareOf('no-room');
  await world.elapse(600_000);
  await send(`${url}/report/${jobIds[0]}`, 'reason=x');
  const [report] = (await admin().listReports()).data;
  const id = report?.report_id ?? '';
  const full = context.mock.method(world.app.images, 'put', async () => {
    throw new StoreError('the disk is full (ENOSPC)');
  });
  await assert.rejects(admin().takeDown(id), { code: 'storage_unavailable', message: /Free space/ });
  assert.equal((await fetch(url)).status, 200);
  full.mock.restore();
  assert.ok((await admin().takeDown(id)).evidence);
  assert.equal((await fetch(url)).status, 410);
});

test('reports and their evidence are deleted with the account', async () => {
  const { accountId, jobIds, url } = await shareOf('erased-reports');
  await world.elapse(600_000);
  assert.equal((await send(`${url}/report/${jobIds[0]}`, 'reason=x')).status, 201);
  const [report] = (await admin().listReports()).data;
  await admin().takeDown(report?.report_id ?? '');
  const [key] = await evidenceKeys();
  await admin().eraseAccount(accountId, { name: 'erased-reports' });
  const { rows } = await sql`select key from image_removals where key = ${key}`.execute(
    world.app.database.read,
  );
  assert.equal(rows.length, 1);
  assert.ok((await admin().listReports()).data.every(({ account_id }) => account_id !== accountId));
});

test('an image whose report is resolved while its copy is being made stays', async (context) => {
  const { jobIds, url } = await shareOf('resolved-meanwhile');
  await world.elapse(600_000);
  await send(`${url}/report/${jobIds[0]}`, 'reason=x');
  const id = (await admin().listReports()).data[0]?.report_id ?? '';
  context.mock.method(world.app.images, 'put', () => admin().resolveReport(id));
  await assert.rejects(admin().takeDown(id), { code: 'invalid_request' });
  assert.equal((await fetch(url)).status, 200);
});

test('a report that is resolved just as its image was taken down leaves no copy, and says so', async () => {
  const { jobIds, url } = await shareOf('taken-meanwhile');
  await world.elapse(600_000);
  await send(`${url}/report/${jobIds[0]}`, 'reason=x');
  const id = (await admin().listReports()).data[0]?.report_id ?? '';
  const before = await evidenceKeys();
  const { database } = world.app;
  let isDown = false;
  const transaction = async (...work: Parameters<typeof database.transaction>) => {
    if (!isDown) await admin().takeDown(id);
    isDown = true;
    return database.transaction(...work);
  };
  const overtaken = { ...database, transaction } as typeof database;
  const deps = { ...world.app, database: overtaken, log: silentLog, mayRemove: async () => true };
  await resolveReport(deps, id, commandLine);
  const [entry] = (await admin().listAuditEntries({ action: 'report.resolved', limit: 1 })).data;
  assert.deepEqual([entry?.subject, entry?.detail.taken_down], [id, true]);
  assert.deepEqual(await evidenceKeys(), before);
});

test('resolving in a copy of the database removes nothing from the shared store', async () => {
  const { jobIds, url } = await shareOf('copied');
  await world.elapse(600_000);
  await send(`${url}/report/${jobIds[0]}`, 'reason=x');
  const id = (await admin().listReports()).data[0]?.report_id ?? '';
  await admin().takeDown(id);
  const before = await evidenceKeys();
  const deps = { ...world.app, log: silentLog, mayRemove: async () => false };
  await resolveReport(deps, id, commandLine);
  assert.ok((await admin().listReports({ status: 'resolved' })).data.some((one) => one.report_id === id));
  assert.deepEqual(await evidenceKeys(), before);
});

test('no account can fill the inbox', async () => {
  const { accountId, jobIds, url } = await shareOf('filling', 11);
  const [last = '', ...filled] = jobIds;
  for (const jobId of filled)
    for (let nth = 0; nth < 10; nth++) {
      const report = { accountId, jobId, reason: `${nth}`, contact: null, address: '127.0.0.1' };
      await makeReport(world.app.database, report);
    }
  await world.elapse(600_000);
  assert.equal((await send(`${url}/report/${last}`, 'reason=x')).status, 201);
  const own = (await admin().listReports({ limit: 1 })).data[0];
  assert.deepEqual([own?.account_id === accountId, own?.job_id === last], [true, false]);
  const other = await shareOf('not-filling');
  assert.equal((await send(`${other.url}/report/${other.jobIds[0]}`, 'reason=x')).status, 201);
  assert.equal((await admin().listReports({ limit: 1 })).data[0]?.account_id, other.accountId);
});

test('a full inbox is reported as such, not as the address’s limit', async () => {
  const { jobIds, url } = await shareOf('late');
  const [jobId = ''] = jobIds;
  await world.elapse(600_000);
  await world.app.database.transaction(async (tx) => {
    const other = crypto.randomUUID();
    for (let nth = 0; nth < 1_000; nth++)
      await insertReport(tx, {
        ...{ id: crypto.randomUUID(), accountId: world.accountId, jobId: other, address: '192.0.2.1' },
        ...{ reason: 'x', contact: null },
      });
  });
  const link = `${url}/report/${jobId}`;
  const answer = await send(link, 'reason=x');
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '3600']);
  assert.match(await answer.text(), /not sent\. Many reports wait to be looked at\. Send yours later\./);
  for (let nth = 0; nth < 5; nth++) await send(link, 'reason=x');
  assert.match(await (await send(link, 'reason=x')).text(), /Too many requests came from your address/);
});
