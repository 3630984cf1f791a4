import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { problemSamples } from '../../src/web/api/reference/problem-samples.ts';
import { plainPng } from '../world/provider.ts';
import { openWorld, type World } from '../world/world.ts';
import { type Sample, samples } from './support/guide-samples.ts';
import { openFolder } from './support/open-folder.ts';
import { besideEnv, shell } from './support/shell.ts';

// Runs the samples of guides for operators and of those about single subjects. Samples about programs run in
// server/test/http/guides.test.ts.

/** Samples that a file beside this one runs, by how they begin. */
const elsewhere: Record<string, string> = {
  "import { createServer } from 'node:http';": 'webhook-samples.test.ts',
  'POST /hook': 'webhook-samples.test.ts',
  'npx darkroom webhook add https://example.com/hook': 'webhook-samples.test.ts',
  'npx darkroom webhook add https://example.com/failures': 'webhook-samples.test.ts',
  'npx darkroom webhook add https://example.com/batches': 'webhook-samples.test.ts',
  'npx darkroom webhook deliveries': 'webhook-samples.test.ts',
  "npx darkroom webhook add 's3://images": 'webhook-samples.test.ts',
};

/** Samples that cannot run here as they stand, by how they begin, and why. */
const notRun: Record<string, string> = {
  'admin POST /accounts/acme/debits': 'corrects an entry whose number differs everywhere',
  'admin GET  /accounts/acme/statements': 'reads months and webhooks that only an older account has',
  'darkroom voucher create': 'redeems a code that exists nowhere',
  '{\n  "name": "Resellers"': 'is the answer to the command above it',
  'curl -sS "$URL/api/v1/batches/$BATCH/results"': 'needs jq',
  'prompt,model,ratio,size': 'is a table for the panel',
  'darkroom generate "a blue door"': 'needs a mask as large as its image',
  '{\n  "code": "spend_limit_reached"': 'is an answer',
  'npx darkroom connection add comfyui': 'needs servers of providers',
  '{\n  "id": "flux"': 'needs a connection to a provider',
  'npx darkroom models apply': 'needs a connection to a provider',
  '[\n  { "id": "upscaler"': 'needs connections to providers',
  '$ npx darkroom': 'shows what a command prints',
  'npm install -g': 'installs the package: npm run check:package',
  'npx darkroom account create acme': 'looks at a whole machine, in doctor',
  'DATABASE_URL=': 'starts an installation on servers of its own',
  'DATABASE_READ_URL=': 'needs a replica',
  'npx darkroom adopt-store': 'needs a restored database',
  'npx darkroom backup': 'needs an upgrade',
  'npx darkroom verify': 'looks at a whole machine, in doctor',
  'DARKROOM_OIDC_ISSUER=': 'needs an identity provider',
  'darkroom brand set': 'needs a logo',
  '$ exiftool': 'needs exiftool: npm run provenance',
  '{ "marking": { "signing"': 'names a certificate of the machine',
  '$ curl -F file': 'asks an installation at another address',
  'darkroom pay 25': 'needs Stripe',
  '{\n  "input_type"': 'is what the service is sent',
  '{\n  "5": { "class_type"': 'is a workflow of ComfyUI',
  '# config.yaml of LiteLLM': 'is a file of LiteLLM',
};

const begins = (starts: object, { code }: Sample) =>
  Object.keys(starts).some((start) => code.startsWith(start));
const isRun = (sample: Sample) => !begins(notRun, sample) && !begins(elsewhere, sample);
const settings = /^\{\s*"(\$schema|routes|limits|payments|policy|signUp|marking)"/;
const isSettings = ({ language, code }: Sample) => language === 'json' && settings.test(code);
const ofShell = ({ language }: Sample) => ['sh', 'bash'].includes(language);
const isRequest = ({ code }: Sample) => code.startsWith('{"model"');

test('every sample is run, or stands among those that cannot run here', () => {
  for (const sample of samples.filter(isRun))
    assert.ok(
      isSettings(sample) || ofShell(sample) || sample.language === 'ts' || isRequest(sample),
      `${sample.guide}: ${sample.code}`,
    );
  for (const start of Object.keys({ ...notRun, ...elsewhere }))
    assert.ok(
      samples.some(({ code }) => code.startsWith(start)),
      start,
    );
  for (const [start, file] of Object.entries(elsewhere)) {
    const [, quoted = ''] = /^(.+?)(?:\n|$)/.exec(start) ?? [];
    assert.ok(
      readFileSync(join(import.meta.dirname, file), 'utf8').includes(quoted),
      `${file} runs ${start}`,
    );
  }
});

test('the answer about a limit is that of the reference', () => {
  const { detail, more } = problemSamples.spend_limit_reached ?? {};
  const shown = samples.find(({ code }) => code.startsWith('{\n  "code": "spend_limit_reached"'));
  assert.deepEqual(JSON.parse(shown?.code ?? ''), { code: 'spend_limit_reached', detail, ...more });
});

suite('samples of the guides', {
  skip: spawnSync('curl', ['--version']).status !== 0 && 'NOT TESTED: no curl',
}, () => {
  let world: World;
  let folder: Awaited<ReturnType<typeof openFolder>>;
  before(async () => {
    world = await openWorld();
    folder = await openFolder();
    await writeFile(join(folder.path, 'photo.jpg'), plainPng(64, 48));
    const [request] = samples.filter(isRequest);
    await writeFile(join(folder.path, 'requests.jsonl'), `${request?.code}\n`);
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
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

  for (const sample of samples.filter(isRun).filter(ofShell))
    test(`${sample.guide}: ${sample.code.split('\n', 1)[0]}`, async () => {
      const output = await inWorld(await filledIn(sample));
      assert.doesNotMatch(output, /"code":/, 'a problem was answered');
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

  /** Replaces the guide's address, accounts and ids by real ones. */
  async function filledIn({ guide, code }: Sample): Promise<string> {
    const named = guide === 'administration' && code.includes('POST /accounts ') ? 'fresh' : 'tests';
    const [, keyId = ''] = code.includes('KEY_ID') ? [/./, (await world.account(`of ${guide}`)).keyId] : [];
    const [, adminKey = ''] = code.includes('dka_…')
      ? (/(dka_\S+)/.exec(await inWorld('darkroom admin-key create guides --scopes accounts,money')) ?? [])
      : [];
    const [, batch = ''] = code.includes('$BATCH')
      ? (/"batch_id":"?([^",]+)/.exec(await inWorld('darkroom batch create requests.jsonl --json')) ?? [])
      : [];
    return code
      .replaceAll('http://127.0.0.1:3000', world.url)
      .replaceAll('acme', named)
      .replaceAll('shop', 'tests')
      .replaceAll('KEY_ID', keyId)
      .replaceAll('dka_…', adminKey)
      .replaceAll('$BATCH', batch);
  }
});
