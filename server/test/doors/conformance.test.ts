import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { readConfig } from '../../src/config/config.ts';
import { pauseJobs, resumeJobs } from '../../src/jobs/admission/pause-jobs.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { createRecordingLog } from '../http/support/recording-log.ts';
import { eventually } from '../http/support/requests.ts';
import { readSnapshot } from '../http/support/snapshot.ts';
import { listedKeys } from '../images/conformance.ts';

import { type Client, clientOf, finished } from '../processes/support/client.ts';
import { openInstallation } from '../processes/support/installation.ts';
import { createDatabase } from '../world/databases.ts';
import { plainPng } from '../world/provider.ts';
import { openWorld, type World } from '../world/world.ts';
import { type DoorUnderTest, doorsUnderTest, type Told, type Wish } from './conformance-doors.ts';

// Tests that every API we speak passes: an image is a job, and only an image is paid for.
let world: World;
const log = createRecordingLog();
before(async () => {
  world = await openWorld({ config: { streamKeepAliveMs: 50 }, replacements: { log } });
});
after(() => world[Symbol.asyncDispose]());

const png = plainPng(64, 48).toString('base64');
const price = 0.04;

for (const door of doorsUnderTest) {
  const make = (wish: Partial<Wish> = {}, key = world.key) =>
    door.make({ url: world.url, key }, { prompt: 'a fox', ...wish });

  describe(`the door ${door.name}`, () => {
    test('answers with a job’s image, charged once', async () => {
      const paid = await cost(async () => {
        const told = await make();
        assert.ok(told.made, told.words);
        const job = await world.finished(told.jobId ?? '');
        assert.deepEqual([job.status, job.prompt, job.model], ['done', 'a fox', 'nb2']);
        if (told.image) assert.deepEqual(told.image, await download(job));
      });
      assert.equal(paid, price);
    });

    test('reports a failed job, which costs nothing, and promises no image', async () => {
      for (const kind of ['safety_blocked', 'no_image', 'invalid_input', 'auth'] as const) {
        world.provider.handler = async () => {
          throw new ProviderError(kind, `It was ${kind}.`);
        };
        const paid = await cost(async () => {
          const told = await make();
          assert.deepEqual([told.made, told.image], [false, undefined], kind);
          const { status, error } = await lastJob();
          assert.equal(status, 'failed');
          assert.ok(told.words.includes(String(error)), told.words);
        });
        assert.equal(paid, 0, kind);
      }
      world.provider.handler = async (request) => world.provider.answer(request);
    });

    test('continues when its client leaves: the job is done, charged, and readable', async () => {
      const held = holdProvider();
      const leave = new AbortController();
      const paid = await cost(async () => {
        const asked = make({ prompt: 'a fox that is left', signal: leave.signal });
        await held.begun;
        leave.abort();
        await assert.rejects(asked);
        held.release();
        assert.equal((await world.finished(String((await lastJob()).job_id))).status, 'done');
      });
      assert.equal(paid, price);
    });

    test('refuses in its own form, before anything is made, and says which refusals are temporary', async () => {
      const { key: poor } = await world.account(`poor at ${door.name}`);
      const { key: limited } = await world.account(`limited at ${door.name}`, {
        creditMicros: 1_000_000n,
        models: ['nb'],
      });
      const refusals: [string, boolean, () => Promise<Told>][] = [
        ['no funds', false, () => make({}, poor)],
        ['another model', false, () => make({}, limited)],
        ['an unknown model', false, () => make({ model: 'nothing' })],
        ['no prompt', false, () => make({ prompt: '' })],
        ['a pause', true, () => whilePaused(make)],
      ];
      for (const [name, repeats, send] of refusals) {
        const told = await refused(door, send);
        if (told.status !== 200) assert.equal(told.repeats, repeats, `${name}: ${told.words}`);
      }
      if (door.name !== 'mcp') await refused(door, () => make({}, 'dk_wrong'));
    });

    test('refuses bodies that are not requests', async () => {
      const bomb = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
      for (const body of [
        '',
        '{',
        'null',
        '[]',
        bomb,
        `{"prompt": ${'"x",'.repeat(600)}1}`,
        '{"prompt": {"a": 1}}',
      ])
        await refused(door, () => door.post(world, body));
    });

    test('logs neither a wrong request nor a failed job as our failure', () => {
      assert.deepEqual(
        log.lines.filter((line) => line.startsWith('request.failed ')),
        [],
      );
    });
  });
}

for (const door of doorsUnderTest.filter(({ takesImages }) => takesImages)) {
  const make = (images: string[], more: Partial<Wish> = {}) =>
    door.make(world, { prompt: 'a fox', images, ...more });

  describe(`the door ${door.name}, with images in the body`, () => {
    test('gives the images to the job, and keeps nothing else of them', async () => {
      assert.ok((await make([png, png])).made);
      const { request } = world.provider.requests.at(-1) ?? {};
      assert.deepEqual(
        request?.inputs.map(({ width, height }) => [width, height]),
        [
          [64, 48],
          [64, 48],
        ],
      );
      assert.deepEqual(await kept(), { uploads: [], files: [] });
    });

    test('refuses files that are not images, too many or too large, and keeps nothing of them', async () => {
      const large = Buffer.concat([plainPng(64, 48), Buffer.alloc(41 * 1024 * 1024)]).toString('base64');
      const cases: [string, string[]][] = [
        ['no base64', ['no base64!']],
        ['no image', [Buffer.from('no image').toString('base64')]],
        ['one is none', [png, Buffer.alloc(20_000).toString('base64')]],
        ['15 images', Array<string>(15).fill(png)],
        ['41 MB', [large]],
      ];
      for (const [name, images] of cases) {
        const told = await refused(door, () => make(images));
        assert.ok(told.status >= 400 && told.status < 500 && !told.repeats, `${name}: ${told.words}`);
        assert.deepEqual(await kept(), { uploads: [], files: [] }, name);
      }
    });

    test('gives the same image for the same Idempotency-Key, charged once', async () => {
      const idempotencyKey = `a key of ${door.name}`.replaceAll(' ', '-');
      const paid = await cost(async () => {
        const first = await make([png], { idempotencyKey });
        const second = await make([png], { idempotencyKey });
        assert.deepEqual([second.made, second.jobId], [true, first.jobId], second.words);
        assert.deepEqual(second.image, first.image);
        await refused(door, () => make([png], { idempotencyKey, prompt: 'another fox' }));
      });
      assert.equal(paid, price);
    });
  });
}

test('a stream says that its image is being made, until it is', async () => {
  const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(world.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const streams: [comment: string, end: RegExp, open: () => Promise<Response>][] = [
    [
      ': still running',
      /^event: image_generation.completed$/m,
      () => post('/v1/images/generations', { model: 'nb2', prompt: 'a fox', stream: true }),
    ],
    [
      ': the image is being made',
      /"inlineData"/,
      () =>
        post('/v1beta/models/nb2:streamGenerateContent?alt=sse', {
          contents: [{ parts: [{ text: 'a fox' }] }],
        }),
    ],
    [
      ': no change',
      /"status":"done"/,
      async () => {
        const jobId = await world.create();
        return fetch(`${world.url}/api/v1/jobs/${jobId}`, {
          headers: { ...headers, accept: 'text/event-stream' },
        });
      },
    ],
  ];
  for (const [comment, end, open] of streams) {
    const held = holdProvider();
    const { body, status } = await open();
    assert.equal(status, 200);
    let text = '';
    let heard = 0;
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      heard = text.split(`${comment}\r\n\r\n`).length + text.split(`${comment}\n\n`).length - 2;
      if (heard >= 2) held.release();
    }
    assert.ok(heard >= 2, text);
    assert.match(text, end);
  }
});

test('a disabled API says so in its own form, and the others stay available', async () => {
  await using alone = await openWorld({ env: { DARKROOM_DOORS: 'gemini' } });
  await using closed = await openWorld({ env: { DARKROOM_DOORS: 'none' }, worker: false });
  for (const door of doorsUnderTest) {
    for (const place of door.name === 'gemini' ? [closed] : [closed, alone]) {
      const told = await door.make(place, { prompt: 'a fox' });
      assert.deepEqual([told.made, told.status, told.repeats], [false, 404, false], door.name);
      door.assertForm(told);
      assert.match(told.words, /DARKROOM_DOORS/);
    }
    if (door.name === 'gemini') assert.ok((await door.make(alone, { prompt: 'a fox' })).made);
  }
  assert.equal((await closed.send('GET', '/balance')).status, 200);
});

test('a stopping server lets all APIs’ clients ask again, and the next server makes their images once', async () => {
  const { worker } = readConfig({});
  await using stopping = await openWorld({ config: { worker: { ...worker, drainMs: 500 } } });
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  stopping.provider.handler = (_request, { signal }) => {
    if (stopping.provider.requests.length === doorsUnderTest.length) resolve();
    return new Promise((_made, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    );
  };
  const asked = doorsUnderTest.map((door) => door.make(stopping, { prompt: `for ${door.name}` }));
  await begun;
  stopping.provider.handler = async (request) => stopping.provider.answer(request);
  const [answers] = await Promise.all([Promise.all(asked), stopping.restart()]);
  for (const [index, told] of answers.entries())
    assert.deepEqual(
      [told.made, told.repeats],
      [false, doorsUnderTest[index]?.name !== 'mcp'],
      `${doorsUnderTest[index]?.name}: ${told.words}`,
    );
  for (const door of doorsUnderTest.filter(({ takesImages }) => takesImages))
    assert.ok((await door.make(stopping, { prompt: `for ${door.name}` })).made);
  const { body } = await stopping.send('GET', '/jobs');
  const jobs = body.data as { job_id: string }[]; // the documented shape
  assert.equal(jobs.length, doorsUnderTest.length);
  for (const { job_id: jobId } of jobs) assert.equal((await stopping.finished(jobId)).status, 'done');
  assert.deepEqual(await stopping.balance(), { balance: '99.88', reserved: '0.00', available: '99.88' });
});

test('a server that is killed answers nobody, and nothing is made or charged twice', async () => {
  await using installation = await openInstallation(await createDatabase());
  const { key } = await installation.account(1_000_000n);
  const first = await installation.start('all');
  const wish = (door: DoorUnderTest) => ({
    // The delay lasts until the server is killed; the next server does not obey the directive.
    prompt: `[[delay:2m]] for ${door.name}`,
    idempotencyKey: `a-key-of-${door.name}`,
  });
  const asked = doorsUnderTest.map((door) => assert.rejects(door.make({ url: first.url, key }, wish(door))));
  const atFirst = clientOf(first, key);
  const jobsOf = async (client: Client) => {
    const { body } = await client('GET', '/jobs');
    return body.data as { job_id: string; status: string }[]; // the documented shape
  };
  // `sketch` draws few at once.
  await eventually(
    () => jobsOf(atFirst),
    (jobs) => jobs.length === asked.length && jobs.some(({ status }) => status === 'processing'),
  );
  first.signal('SIGKILL');
  await Promise.all(asked);
  const config = `${installation.env.DARKROOM_DATA_DIR}/darkroom.json`;
  writeFileSync(config, JSON.stringify({ routes: { nb2: [{ provider: 'sketch', directives: false }] } }));
  const second = await installation.start('all', { DARKROOM_CONFIG: config });
  const atSecond = clientOf(second, key);
  for (const door of doorsUnderTest.filter(({ takesImages }) => takesImages)) {
    const told = await door.make({ url: second.url, key }, wish(door));
    assert.ok(told.made, told.words);
  }
  const jobs = await jobsOf(atSecond);
  assert.equal(jobs.length, doorsUnderTest.length);
  for (const { job_id: jobId } of jobs) assert.equal((await finished(atSecond, jobId)).status, 'done');
  assert.equal((await atSecond('GET', '/balance')).body.balance, '0.88');
});

async function cost(work: () => Promise<void>): Promise<number> {
  const { balance } = await world.balance();
  await work();
  const now = await world.balance();
  assert.equal(now.reserved, '0.00');
  return Math.round((Number(balance) - Number(now.balance)) * 1e6) / 1e6;
}

/** Asserts a refusal in the API's form, which changes nothing. */
async function refused(door: DoorUnderTest, send: () => Promise<Told>): Promise<Told> {
  const earlier = await readSnapshot(world);
  const told = await send();
  assert.deepEqual([told.made, told.image], [false, undefined], told.words);
  door.assertForm(told);
  assert.deepEqual(await readSnapshot(world), earlier, 'a refused request changed something');
  return told;
}

async function whilePaused(send: () => Promise<Told>): Promise<Told> {
  await pauseJobs(world.app, { scope: 'nb2', reason: null, until: null }, commandLine);
  try {
    return await send();
  } finally {
    await resumeJobs(world.app, { scope: 'nb2' }, commandLine);
  }
}

async function kept() {
  const uploads = await world.app.database.read.selectFrom('uploads').select('id').execute();
  return { uploads, files: await listedKeys(world.app.images, 'uploads/') };
}

function holdProvider() {
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  world.provider.handler = async (request) => {
    begun.resolve();
    await go.promise;
    return world.provider.answer(request);
  };
  return {
    begun: begun.promise,
    release() {
      world.provider.handler = async (request) => world.provider.answer(request);
      go.resolve();
    },
  };
}

async function lastJob(): Promise<Record<string, unknown>> {
  const { body } = await world.send('GET', '/jobs?limit=1');
  const [job] = body.data as Record<string, unknown>[]; // the documented shape
  assert.ok(job);
  return job;
}

async function download(job: Record<string, unknown>): Promise<Buffer> {
  const { image_url: url } = job.result as { image_url: string }; // a done job has a result
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}
