import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { deleteOldReports } from '../../src/jobs/reports/report-store.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { bearer } from '../http/support/requests.ts';
import { openMember } from '../panel/browser.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld({ env: { DARKROOM_SHARING: 'true' } });
after(() => world[Symbol.asyncDispose]());
const admin = await openAdministration(world);

/** A public link to new pictures of a new account. */
async function shareOf(name: string, pictures = 1) {
  const { accountId, key } = await world.account(name, { creditMicros: 1_000_000n });
  const jobIds: string[] = [];
  for (let nth = 0; nth < pictures; nth++)
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

test('whoever sees a picture reports it; operators take it down, keep the evidence aside and resolve', async () => {
  const { accountId, key, jobIds, url } = await shareOf('reported', 2);
  const [jobId = '', other = ''] = jobIds;
  const page = await (await fetch(url)).text();
  const link = `${url}/report/${jobId}`;
  assert.ok(page.includes(`href="${new URL(link).pathname}"`));
  const form = await fetch(link);
  assert.match(form.headers.get('content-security-policy') ?? '', /form-action 'self'/);
  assert.match(await form.text(), /<textarea id="reason" name="reason"/);
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
  assert.ok((await admin().resolveReport(id)).resolved_at);
  assert.deepEqual(await evidenceKeys(), []);
  await assert.rejects(admin().takeDown(id), { code: 'invalid_request' });
  await assert.rejects(Array.fromAsync(admin().reportedImage(id)), { code: 'image_gone' });
  assert.deepEqual((await admin().listReports()).data, []);
  assert.equal((await admin().listReports({ status: 'resolved' })).data[0]?.report_id, id);
  const { data } = await admin().listAuditEntries({ account: accountId });
  const actions = data.map(({ action }) => action).filter((action) => /^(report|image)/.test(action));
  assert.deepEqual(actions, ['report.resolved', 'image.deleted', 'report.taken_down', 'report.made']);
  await world.elapse(91 * 24 * 60 * 60_000);
  await world.app.database.transaction((tx) => deleteOldReports(tx, 90 * 24 * 60 * 60_000));
  assert.deepEqual((await admin().listReports({ status: 'resolved' })).data, []);
});

test('what is no report is refused, a flood waits, and one picture fills no inbox', async () => {
  const { jobIds, url } = await shareOf('flooded');
  const link = `${url}/report/${jobIds[0]}`;
  const long = (of: number) => new URLSearchParams({ reason: 'x'.repeat(of) }).toString();
  for (const [body, type, status] of [
    ['', undefined, 422],
    ['reason=+', undefined, 422],
    ['reason=x&more=y', undefined, 422],
    [long(2_001), undefined, 422],
    [long(20_000), undefined, 413],
    ['{"reason":7}', 'application/json', 422],
    ['reason', 'text/plain', 415],
  ] as const)
    assert.equal((await send(link, body, type)).status, status, `${body.slice(0, 20)} ${type}`);
  for (const wrong of [
    `${url}/report/${crypto.randomUUID()}`,
    `${url}x/report/${jobIds[0]}`,
    `${url}/report/x`,
  ]) {
    assert.equal((await fetch(wrong)).status, 404, wrong);
  }
  await world.elapse(600_000);
  const answers = await Promise.all(Array.from({ length: 6 }, () => send(link, 'reason=x')));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 201, 201, 429]);
  await world.elapse(600_000);
  for (let nth = 0; nth < 5; nth++) assert.equal((await send(link, 'reason=x')).status, 201);
  await world.elapse(600_000);
  assert.equal((await send(link, 'reason=x')).status, 201);
  assert.equal((await Array.fromAsync(admin().listReports({ limit: 3 }))).length, 10);
});

test('reports and their evidence go with the account', async () => {
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
