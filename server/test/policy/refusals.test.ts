import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { followClock } from '../../src/base/db/follow-clock.ts';
import type { Log } from '../../src/base/std/log.ts';
import type { GuardrailPolicy } from '../../src/jobs/guardrails/guardrail-settings.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { bearer } from '../http/support/requests.ts';
import { openMember } from '../panel/browser.ts';
import { keep } from '../world/expire.ts';
import { recordTime } from '../world/record-time.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';
import { type Asked, startHook } from './support/hook.ts';

const hourMs = 60 * 60_000;
const hook = await startHook();
const policy: GuardrailPolicy = {
  usual: {
    url: hook.url,
    stages: ['prompt', 'image'],
    timeoutMs: 5_000,
    whenDown: 'refuse',
    blockWords: ['forbidden fruit'],
    maskWords: [],
  },
  accounts: new Map(),
  keepPromptsDays: 1,
  strikes: null,
  key: null,
};
const errors: string[] = [];
const error: Log['error'] = (event, fields) => void errors.push(`${event} ${JSON.stringify(fields)}`);
const log = { ...silentLog, error };
const world = await openWorld({ config: { guardrails: policy }, replacements: { log } });
after(async () => {
  await world[Symbol.asyncDispose](); // may still ask about an image
  await hook[Symbol.asyncDispose]();
});
const admin = await openAdministration(world);

beforeEach(() => {
  hook.answer = () => ({ action: 'NONE' });
  policy.strikes = null;
});

const blocked = { action: 'BLOCKED', blocked_reason: 'It is of snakes.' };
const isPrompt = ({ body }: Asked) => body.input_type === 'request';
const post = (prompt: string, key = world.key) =>
  world.send('POST', '/nb2/text-generations', {
    body: { prompt, aspect_ratio: '1:1' },
    headers: bearer(key),
  });

async function refuse(prompt: string, key?: string): Promise<void> {
  assertProblem(await post(prompt, key), 422, 'prompt_refused');
}

async function notedOf(action: string) {
  const { data } = await admin().listAuditEntries({ account: world.accountId, action });
  return data;
}

test('each refusal is in the audit log without its prompt, which is stored separately for a number of days', async () => {
  const { accountId } = world;
  const { data } = await admin().listAccountKeys(accountId);
  const keyId = data[0]?.key_id ?? '';
  const before = (await notedOf('prompt.refused')).length;
  await refuse('my FORBIDDEN fruit');
  hook.answer = () => blocked;
  await refuse('a snake of mine');
  const requests = ['a snake of mine', 'another snake'].map((prompt) => ({
    ...{ model: 'nb2', mode: 'text', body: { prompt, aspect_ratio: '1:1' } },
  }));
  assert.equal((await world.send('POST', '/batches', { body: { requests } })).status, 422);
  hook.answer = (asked) => (isPrompt(asked) ? { action: 'NONE' } : blocked);
  const jobId = await world.create('/nb2/text-generations', { prompt: 'a fox of mine' });
  await world.finished(jobId);
  const [image] = await notedOf('image.refused');
  const [batch, service, words, ...older] = await notedOf('prompt.refused');
  assert.equal(older.length, before);
  const codes = { prompt: 'prompt_refused', image: 'policy_refused' } as const;
  const told = (stage: 'prompt' | 'image', by: string, reason: string) => ({
    ...{ key: keyId, stage, code: codes[stage], by, reason, model: 'nb2' },
  });
  const snakes = 'It is of snakes.';
  for (const [entry, subject, detail] of [
    [words, keyId, told('prompt', 'words', 'forbidden fruit')],
    [service, keyId, told('prompt', 'service', snakes)],
    [batch, keyId, told('prompt', 'service', snakes)],
    [image, jobId, told('image', 'service', snakes)],
  ] as const) {
    const { request, ...rest } = entry?.detail ?? {};
    assert.match(String(request), /^req_/);
    assert.deepEqual([entry?.by, entry?.subject, rest], ['the policy', subject, detail]);
  }
  assert.ok(!JSON.stringify([image, batch, service, words]).includes('mine'));
  const kept = await admin().listRefusedPrompts({ account: accountId, limit: 4 });
  assert.deepEqual(
    kept.data.map(({ prompt, job_id, reason }) => [prompt, job_id, reason]),
    [
      ['a fox of mine', jobId, snakes],
      [kept.data[1]?.prompt, null, snakes],
      ['a snake of mine', null, snakes],
      ['my FORBIDDEN fruit', null, 'forbidden fruit'],
    ],
  );
  await keep(world.app, {}, { keepPromptsDays: 1, strikes: null });
  assert.ok((await Array.fromAsync(admin().listRefusedPrompts({ limit: 2 }))).length >= 4);
  await keep(world.app, {});
  assert.deepEqual(await Array.fromAsync(admin().listRefusedPrompts()), []);
});

async function toldOf(accountId: string) {
  const rows = await world.app.database.read
    .selectFrom('events')
    .select('data')
    .where('account_id', '=', accountId)
    .where('type', '=', 'policy.strike')
    .orderBy('seq')
    .execute();
  return rows.map(({ data }): Record<string, unknown> => JSON.parse(data ?? ''));
}

test('an account that is refused often is notified, and slowed down for as long', async () => {
  policy.strikes = { count: 3, withinMs: hourMs, action: 'slow' };
  const { accountId, key } = await world.account('often', { creditMicros: 1_000_000n });
  const other = await world.account('seldom', { creditMicros: 1_000_000n });
  const problemsOf = async (id: string) => {
    const member = await openMember(world, { email: `${id}@example.com`, accountId: id });
    const { problems } = await member.call('GET /panel/accounts/:account_id/overview', {
      params: { account_id: id },
    });
    return problems.map(({ kind, text }) => `${kind} ${text}`);
  };
  for (const one of [key, other.key]) await refuse('forbidden fruit', one);
  await world.elapse(hourMs);
  await refuse('forbidden fruit', key);
  await refuse('forbidden fruit', key);
  assert.deepEqual(await toldOf(accountId), [], 'the first was too long ago');
  await refuse('forbidden fruit', key);
  const [told, ...more] = await toldOf(accountId);
  assert.deepEqual(more, []);
  assert.deepEqual([told?.account_name, told?.refusals, told?.within_seconds], ['often', 3, 3600]);
  const { headers, body, ...reply } = await post('a fox', key);
  assertProblem({ headers, body, ...reply }, 503, 'project_paused');
  assert.match(String(body.detail), /^This account is paused: The policy refused many of its requests\./);
  assert.ok(Number(headers.get('retry-after')) > 3_000);
  assert.match(
    (await problemsOf(accountId)).join('\n'),
    /^project_paused This account is paused until \S+: The policy/m,
  );
  assert.deepEqual(await problemsOf(other.accountId), []);
  assert.equal((await post('a fox', other.key)).status, 202);
  await world.elapse(hourMs);
  assert.equal((await post('a fox', key)).status, 202);
  assert.equal(
    (await admin().listAuditEntries({ account: accountId, action: 'account.struck' })).data.length,
    1,
  );
});

test('a strike pauses an account until an operator resumes it, and counting restarts', async () => {
  policy.strikes = { count: 2, withinMs: hourMs, action: 'pause' };
  const { accountId, key } = await world.account('paused', { creditMicros: 1_000_000n });
  await refuse('forbidden fruit', key);
  await refuse('forbidden fruit', key);
  await world.elapse(2 * hourMs);
  assertProblem(await post('a fox', key), 503, 'project_paused');
  assert.deepEqual((await toldOf(accountId))[0]?.paused, { until: null });
  assert.ok((await admin().listPauses()).some(({ scope }) => scope === accountId));
  await admin().resume(accountId);
  await refuse('forbidden fruit', key);
  assert.equal((await post('a fox', key)).status, 202);
  await admin().pause(accountId, { reason: 'by hand' });
  assertProblem(await post('a fox', key), 503, 'project_paused');
  await admin().resume(accountId);
  await assert.rejects(admin().pause(crypto.randomUUID()), { code: 'not_found' });
});

test('a pause applies to the account, however its id is written, and ends with the account', async () => {
  const { accountId, key } = await world.account('spelled', { creditMicros: 1_000_000n });
  const spelled = accountId.toUpperCase();
  await admin().pause(spelled, { reason: 'by hand' });
  assertProblem(await post('a fox', key), 503, 'project_paused');
  const member = await openMember(world, { email: 'spelled@example.com', accountId });
  for (const account of [accountId, spelled]) {
    const paused = await member.send('POST', '/api/v1/nb2/text-generations', {
      body: { prompt: 'a fox', aspect_ratio: '1:1' },
      headers: member.asPage(account),
    });
    assertProblem(paused, 503, 'project_paused');
  }
  await admin().resume(spelled);
  assert.equal((await post('a fox', key)).status, 202);
  await admin().pause(accountId, { reason: 'by hand' });
  await admin().eraseAccount(accountId, { name: 'spelled' });
  assert.ok(!(await admin().listPauses()).some(({ scope }) => scope === accountId));
});

test('a refusal after the account’s erasure leaves no trace of it', async () => {
  const { accountId, key } = await world.account('late', { creditMicros: 1_000_000n });
  const { promise: erased, resolve } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  hook.answer = async ({ body }) => {
    // Images of jobs that earlier tests left are asked about too.
    if (!body.texts.includes('a secret')) return { action: 'NONE' };
    ask();
    await erased;
    return blocked;
  };
  const late = refuse('a secret', key);
  await asked;
  await admin().eraseAccount(accountId, { name: 'late' });
  resolve();
  await late;
  assert.deepEqual((await admin().listRefusedPrompts({ account: accountId })).data, []);
  const { data } = await admin().listAuditEntries({ account: accountId });
  assert.equal(data[0]?.action, 'account.erased');
});

test('the service’s answers cannot fill the log', async () => {
  hook.answer = () => ({ action: 'x'.repeat(500_000) });
  assertProblem(await post('a fox'), 503, 'overloaded');
  assert.match(errors.at(-1) ?? '', /^policy\.down .{50,1000}$/);
});

test('a strike that only notifies stops nothing, and its prompts are kept no longer than others', async () => {
  policy.strikes = { count: 1, withinMs: 3 * 24 * hourMs, action: 'tell' };
  const { accountId, key } = await world.account('told', { creditMicros: 1_000_000n });
  await refuse('forbidden fruit', key);
  await refuse('forbidden fruit', key);
  assert.equal((await toldOf(accountId)).length, 2);
  assert.equal((await post('a fox', key)).status, 202);
  await world.elapse(2 * 24 * hourMs);
  const rows = () =>
    world.app.database.read
      .selectFrom('refusals')
      .select('prompt')
      .where('account_id', '=', accountId)
      .execute();
  await keep(world.app, {}, policy);
  assert.deepEqual(
    (await rows()).map(({ prompt }) => prompt),
    [null, null],
  );
  await world.elapse(2 * 24 * hourMs);
  await keep(world.app, {}, policy);
  assert.deepEqual(await rows(), []);
});

test('old refusals make no strike after the clock was set back', async () => {
  policy.strikes = { count: 2, withinMs: hourMs, action: 'pause' };
  const { accountId, key } = await world.account('set back', { creditMicros: 1_000_000n });
  await refuse('forbidden fruit', key);
  await recordTime(world);
  await world.jump(-24 * hourMs);
  await followClock(world.app.database);
  await world.elapse(2 * hourMs);
  await refuse('forbidden fruit', key);
  assert.deepEqual(await toldOf(accountId), []);
  assert.equal((await post('a fox', key)).status, 202);
});
