import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { catchUpWithPast, fillWithFinishedJobs } from '../../../bench/fill.ts';
import { insertMember, insertPerson } from '../../src/accounts/people/people-store.ts';
import { newId } from '../../src/base/std/ids.ts';
import { backUpDatabase } from '../../src/start/open-operator.ts';
import { clientOf, createJob, finished, refusedPrompt } from './support/client.ts';
import { darkroom } from './support/darkroom.ts';
import { type Installation, openInstallation } from './support/installation.ts';
import type { ServerProcess } from './support/server-process.ts';

test('account erase finishes even if only its own pauses keep the process running', async () => {
  await using place = await openInstallation(undefined);
  const { accountId, key } = await place.account(1_000_000n);
  {
    await using server = await place.start('all');
    const client = clientOf(server, key);
    await finished(client, await createJob(client, refusedPrompt));
  }
  const erase = ['account', 'erase', accountId, '--confirm', 'tests-1', '--json'];
  const { code, stdout, stderr } = await darkroom(place, erase);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.deepEqual(JSON.parse(stdout), { account_id: accountId, jobs: 1, objects: 0 });
});

const marks = (who: string) => ({
  prompt: `${who}quetzalcoatlus`,
  metadata: `${who}ordernumber`,
  receiver: `${who}receiver`,
  email: `${who}@nowhere.example`,
});

async function live(place: Installation, server: ServerProcess, who: string) {
  const { accountId, key } = await place.account(100_000_000n);
  const { prompt, metadata, receiver, email } = marks(who);
  const personId = newId(Date.now());
  await place.database.transaction(async (tx) => {
    await insertPerson(tx, { id: personId, name: email, email, at: Date.now() });
    await insertMember(tx, { accountId, personId });
  });
  const client = clientOf(server, key);
  await client('PUT', '/webhooks/default', { body: { url: `https://example.com/${receiver}` } });
  const make = async (nth: number) => {
    const { body } = await client('POST', '/nb2/text-generations', {
      body: {
        prompt: `${prompt} ${nth} ${'in a garden '.repeat(nth % 30)} [[fail:safety_blocked]]`,
        aspect_ratio: '1:1',
        metadata: { order: `${metadata}-${nth}` },
      },
      headers: { 'idempotency-key': `${metadata}-${nth}` },
    });
    return String(body.job_id);
  };
  return { accountId, client, make, personId };
}

function leftIn(folder: string, who: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.flatMap(({ name, parentPath }) => {
    const bytes = readFileSync(join(parentPath, name), 'latin1').toLowerCase();
    return Object.entries(marks(who)).flatMap(([what, mark]) =>
      bytes.includes(mark) ? [`${what} in ${name}, ${bytes.split(mark).length - 1} times`] : [],
    );
  });
}

const jobs = 120;
const manyJobs = 5_000;
const lookEveryMs = 50;

for (const way of ['the command line beside the server', 'the server itself'] as const)
  test(`what ${way} erased is in no byte of the data folder or a backup, even while other accounts continue`, async () => {
    await using place = await openInstallation(undefined);
    const folder = place.env.DARKROOM_DATA_DIR ?? '';
    await using server = await place.start('all');
    const erased = await live(place, server, 'erased');
    const other = await live(place, server, 'staying');
    const made = [];
    for (let nth = 0; nth < jobs; nth += 1) made.push(await erased.make(nth), await other.make(nth));
    await finished(erased.client, made.at(-2) ?? '');
    await finished(other.client, made.at(-1) ?? '');
    // Writes prompts' words into the search index.
    const found = await erased.client('GET', `/jobs?q=${marks('erased').prompt}&limit=1`);
    assert.equal((found.body.data as unknown[]).length, 1);
    // Enough other jobs that the index does not rewrite itself for the few erased ones.
    await fillWithFinishedJobs(place.database, other.accountId, manyJobs);
    await catchUpWithPast(place.database, other.accountId);
    assert.ok(leftIn(folder, 'erased').length > 0);

    if (way === 'the server itself') {
      const { key: adminKey } = await place.operator.createAdminKey('tests', { scopes: ['accounts'] });
      const { status } = await fetch(`${server.url}/admin/v1/accounts/${erased.accountId}/erase`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'tests-1' }),
      });
      assert.equal(status, 200);
    } else {
      const outcome = await darkroom(place, ['account', 'erase', 'tests-1', '--confirm', 'tests-1']);
      assert.equal(outcome.code, 0, outcome.stderr);
    }
    assert.deepEqual(leftIn(folder, 'erased'), []);
    await backUpDatabase(place.env, join(folder, 'backup.db'));
    assert.deepEqual(leftIn(folder, 'erased'), []);
    const again = await other.client('GET', `/jobs?q=${marks('staying').prompt}&limit=100`);
    assert.equal((again.body.data as unknown[]).length, 100, 'what others have is still found');
  });

test('data that could not be overwritten because of a reader is later overwritten by the server', async () => {
  await using place = await openInstallation(undefined);
  const folder = place.env.DARKROOM_DATA_DIR ?? '';
  {
    await using server = await place.start('all');
    const erased = await live(place, server, 'erased');
    await finished(erased.client, await erased.make(1));
  }
  const reader = new DatabaseSync(join(folder, 'darkroom.db'));
  reader.exec('begin; select count(*) from jobs');
  const outcome = await darkroom(place, ['account', 'erase', 'tests-1', '--confirm', 'tests-1']);
  assert.equal(outcome.code, 0, outcome.stderr);
  assert.ok(leftIn(folder, 'erased').length > 0);
  reader.close();
  await using _server = await place.start('all');
  while (leftIn(folder, 'erased').length > 0) await sleep(lookEveryMs);
});
