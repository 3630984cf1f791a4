import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { adminScopes } from '../../src/accounts/admin-keys/scopes.ts';
import { readConfig } from '../../src/config/config.ts';
import { problemSamples } from '../../src/web/api/reference/problem-samples.ts';
import { makeAdminKey } from '../admin/admin-client.ts';
import { type Receiver, receiverNetwork, startReceiver } from '../webhooks/support/receiver.ts';
import { plainPng } from '../world/provider.ts';
import { openWorld, type World } from '../world/world.ts';
import { missing, type Sample, sampleOf, samples } from './support/guide-samples.ts';
import { openFolder } from './support/open-folder.ts';
import { besideEnv, shell } from './support/shell.ts';

// Runs the samples of the operators' guides and of the guides about single subjects. Samples for programs
// run in server/test/http/guides.test.ts.

/** Samples that a file in this folder runs, by their beginning. */
const elsewhere: Record<string, string> = {
  "import { createServer } from 'node:http';": 'webhook-samples.test.ts',
  'POST /hook': 'webhook-samples.test.ts',
  'npx darkroom webhook add https://example.com/hook': 'webhook-samples.test.ts',
  'npx darkroom webhook add https://example.com/failures': 'webhook-samples.test.ts',
  'npx darkroom webhook add https://example.com/batches': 'webhook-samples.test.ts',
  'npx darkroom webhook deliveries': 'webhook-samples.test.ts',
  "npx darkroom webhook add 's3://images": 'webhook-samples.test.ts',
  'DATABASE_URL=postgres://user:password@pgbouncer': 'setting-samples.test.ts',
  "DATABASE_URL='postgres://user:password@one": 'setting-samples.test.ts',
  'DATABASE_READ_URL=': 'setting-samples.test.ts',
  'DARKROOM_OIDC_ISSUER=': 'setting-samples.test.ts',
  '{ "marking": { "signing"': 'setting-samples.test.ts',
  '{\n  "5": { "class_type"': 'setting-samples.test.ts',
  '{\n  "input_type"': 'setting-samples.test.ts',
  '{\n  "name": "Resellers"': 'setting-samples.test.ts',
  'darkroom pay 25': 'setting-samples.test.ts',
  'prompt,model,ratio,size': 'setting-samples.test.ts',
  '$ npx darkroom': 'model-samples.test.ts',
  '[\n  { "id": "upscaler"': 'model-samples.test.ts',
  'npx darkroom models apply': 'model-samples.test.ts',
  '{\n  "id": "flux"': 'model-samples.test.ts',
  'npx darkroom connection add comfyui': 'model-samples.test.ts',
  'darkroom brand set': 'machine-samples.test.ts',
  'npx darkroom verify': 'machine-samples.test.ts',
  'npx darkroom backup': 'machine-samples.test.ts',
  'npx darkroom adopt-store': 'machine-samples.test.ts',
  'npx darkroom account create acme': 'machine-samples.test.ts',
};

/** Samples that cannot run here unchanged, by their beginning, with the reason. */
const notRun: Record<string, string> = {
  'DATABASE_URL=postgres://… npm start -- --processes':
    'is as server/test/processes/supervised.test.ts starts it',
  'DATABASE_URL=postgres://… DARKROOM_STORAGE=':
    'is as server/test/processes/several-machines.test.ts starts them',
  'npm install -g': 'installs the package: npm run check:package',
  '# config.yaml of LiteLLM': 'is a file of LiteLLM',
};

const begins = (starts: object, { code }: Sample) =>
  Object.keys(starts).some((start) => code.startsWith(start));
const firstLine = (text: string) => text.split('\n', 1)[0] ?? '';
const isRun = (sample: Sample) => !begins(notRun, sample) && !begins(elsewhere, sample);
const settings = /^\{\s*"(\$schema|routes|limits|payments|policy|signUp|marking)"/;
const isSettings = ({ language, code }: Sample) => language === 'json' && settings.test(code);
const ofShell = ({ language }: Sample) => ['sh', 'bash'].includes(language);
const isRequest = ({ code }: Sample) => code.startsWith('{"model"');
/** Samples that the tests below run, each in its own way. */
const isBelow = ({ code }: Sample) =>
  /^(\{\n {2}"code": "spend_limit_reached"|\$ curl -F|\$ exiftool|darkroom voucher create)/.test(code);

test('every sample is run, or is listed among those that cannot run here', () => {
  for (const sample of samples.filter(isRun))
    assert.ok(
      isSettings(sample) ||
        ofShell(sample) ||
        sample.language === 'ts' ||
        isRequest(sample) ||
        isBelow(sample),
      `${sample.guide}: ${sample.code}`,
    );
  for (const start of Object.keys({ ...notRun, ...elsewhere }))
    assert.ok(
      samples.some(({ code }) => code.startsWith(start)),
      start,
    );
  for (const [start, file] of Object.entries(elsewhere)) {
    const written = start.replaceAll('\n', '\\n');
    assert.ok(
      readFileSync(join(import.meta.dirname, file), 'utf8').includes(written),
      `${file} runs ${start}`,
    );
  }
});

test('the answer about a limit is the one in the reference', () => {
  const { detail, more } = problemSamples.spend_limit_reached ?? {};
  const shown = samples.find(({ code }) => code.startsWith('{\n  "code": "spend_limit_reached"'));
  assert.deepEqual(JSON.parse(shown?.code ?? ''), { code: 'spend_limit_reached', detail, ...more });
});

suite('samples of the guides', {
  skip: missing('curl'),
}, () => {
  let world: World;
  let receiver: Receiver;
  let folder: Awaited<ReturnType<typeof openFolder>>;
  before(async () => {
    world = await openWorld({
      env: { DARKROOM_ALLOW_NETWORKS: receiverNetwork },
      config: { publicVerify: true },
    });
    Object.assign(world.provider.capabilities, { options: ['mask'] });
    receiver = await startReceiver();
    folder = await openFolder();
    for (const name of ['photo.jpg', 'house.jpg', 'door.png'])
      await writeFile(join(folder.path, name), plainPng(64, 48));
    const [request] = samples.filter(isRequest);
    await writeFile(join(folder.path, 'requests.jsonl'), `${request?.code}\n`);
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
    await receiver?.[Symbol.asyncDispose]();
    await folder?.remove();
  });

  for (const { guide, code } of samples.filter(isRun).filter(isSettings))
    test(`${guide}: settings are read`, async () => {
      const file = join(folder.path, 'darkroom.json');
      await writeFile(file, code);
      readConfig({
        ...{ DARKROOM_DATA_DIR: folder.path, DARKROOM_CONFIG: file },
        AZURE_OPENAI_ENDPOINT: 'https://name.openai.azure.com', // the guide sets it before the sample
      });
    });

  for (const sample of samples.filter((one) => isRun(one) && ofShell(one) && !isBelow(one))) {
    const skip = sample.code.includes('jq ') && missing('jq');
    test(`${sample.guide}: ${firstLine(sample.code)}`, { skip }, async () => {
      const output = await inWorld(await filledIn(sample));
      assert.doesNotMatch(output, /"code":/, 'a problem was answered');
    });
  }

  test('administration: a voucher is made and redeemed', async () => {
    const [create = '', ...redeem] = sampleOf('darkroom voucher create').split('\n');
    await inWorld(create);
    const table = await readFile(join(folder.path, 'vouchers.csv'), 'utf8');
    const [code = ''] = /[0-9A-Z]{4}(-[0-9A-Z]{4}){6}/.exec(table) ?? [];
    const said = await inWorld(redeem.join('\n').replace(/\w{4}(-\w{4}){6}/, code));
    assert.equal(JSON.parse(firstLine(said)).amount, '5.00');
  });

  test('origin: anybody can ask whether an image was made here', async () => {
    const { result } = await world.finished(await world.create());
    const { image_url: link } = result as { image_url: string };
    await writeFile(join(folder.path, 'image.png'), Buffer.from(await (await fetch(link)).arrayBuffer()));
    const [byFile = '', shown = '', byLink = ''] = sampleOf('$ curl -F file').split('\n');
    const { made_here, how, model, marks } = JSON.parse(shown);
    for (const command of [byFile, byLink.replace(/'url=.*?'|url='.*?'/, `url='${link}'`)]) {
      const said = await inWorld(command.slice(2).replace('https://images.example.com', world.url));
      const answer = JSON.parse(firstLine(said));
      assert.partialDeepStrictEqual(answer, { made_here, how, model });
      assert.deepEqual(Object.keys(answer.marks), Object.keys(marks));
    }
  });

  test('origin: exiftool reads the marks', { skip: missing('exiftool', '-ver') }, async () => {
    const { result } = await world.finished(await world.create());
    const image = await fetch((result as { image_url: string }).image_url);
    await writeFile(join(folder.path, 'image.png'), Buffer.from(await image.arrayBuffer()));
    const [command = '', ...shown] = sampleOf('$ exiftool').split('\n');
    const said = await inWorld(command.slice(2));
    for (const line of shown) assert.match(said, new RegExp(`^${line.split(' :')[0]?.trim()} +:`, 'm'));
    assert.match(said, /digitalsourcetype\/\w*lgorithmicMedia/);
  });

  test('batches: TypeScript', async () => {
    const { code = '' } =
      samples.find(({ guide, language }) => guide === 'batches' && language === 'ts') ?? {};
    const { Darkroom } = await import('../../../sdk/src/index.ts');
    const darkroom = new Darkroom({ baseUrl: world.url, apiKey: world.key });
    const seen: unknown[] = [];
    const run = new Function('darkroom', 'prompts', 'console', `return (async () => { ${code} })();`);
    await run(darkroom, ['a lighthouse at dusk', 'a fox'], {
      log: (...said: unknown[]) => seen.push(said[1]),
    });
    assert.equal(seen.filter((url) => /\/images\//.test(String(url))).length, 2);
  });

  const inWorld = (code: string) =>
    shell(code, folder.path, {
      ...{ URL: world.url, KEY: world.key, DARKROOM_URL: world.url, DARKROOM_API_KEY: world.key },
      ...besideEnv(world),
    });

  async function filledIn({ guide, code }: Sample): Promise<string> {
    const named = guide === 'administration' && code.includes('POST /accounts ') ? 'fresh' : 'tests';
    const [, keyId = ''] = code.includes('KEY_ID') ? [/./, (await world.account(`of ${guide}`)).keyId] : [];
    const isAdmin = /^(export DARKROOM_ADMIN_KEY|admin )/.test(code);
    const adminKey = isAdmin
      ? (await makeAdminKey(world, `key ${performance.now()}`, [...adminScopes])).key
      : '';
    const [exportKey, define] = sampleOf('export DARKROOM_ADMIN_KEY').split('\n');
    const { data } = (await world.send('GET', '/entries?kind=credit')).body;
    const [credit] = data as { entry_id: string }[]; // the documented shape
    const month = new Date(world.clock.nowMs()).toISOString().slice(0, 7);
    const [, batch = ''] = code.includes('$BATCH')
      ? (/"batch_id":"?([^",]+)/.exec(await inWorld('darkroom batch create requests.jsonl --json')) ?? [])
      : [];
    return (code.startsWith('admin ') ? `${exportKey}\n${define}\n${code}` : code)
      .replaceAll('http://127.0.0.1:3000', world.url)
      .replaceAll('https://example.com', new URL(receiver.url).origin)
      .replaceAll('2026-10', month)
      .replaceAll('ent_…', String(credit?.entry_id))
      .replaceAll('acme', named)
      .replaceAll('shop', 'tests')
      .replaceAll('KEY_ID', keyId)
      .replaceAll('dka_…', adminKey)
      .replaceAll('$BATCH', batch);
  }
});
