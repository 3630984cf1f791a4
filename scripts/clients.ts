import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCuttingProxy } from '../server/test/doors/support/cutting-proxy.ts';
import { azureKey, startAzure } from '../server/test/emulators/azure.ts';
import { bedrockKey, startBedrock } from '../server/test/emulators/bedrock.ts';
import type { Emulator } from '../server/test/emulators/emulator.ts';
import { falKey, startFal } from '../server/test/emulators/fal.ts';
import { geminiKey, startGemini } from '../server/test/emulators/gemini.ts';
import { openAiKey, startOpenAi } from '../server/test/emulators/openai.ts';
import { replicateToken, startReplicate } from '../server/test/emulators/replicate.ts';
import { blocksOf, filledIn, guides } from '../server/test/http/support/guide-blocks.ts';
import { plainPng } from '../server/test/world/provider.ts';
import { openWorld, type World } from '../server/test/world/world.ts';
import { installLiteLlm, litellm, startLiteLlm } from './litellm.ts';

// npm run clients
// Runs vendors' Python clients against our tests' emulators of these vendors, because a wrong emulator would hide our
// mistakes. Also runs clients of the APIs that Darkroom speaks, the guides' Python samples and LiteLLM against a whole
// Darkroom, directly and behind a proxy that cuts connections. (`npm test` runs the JavaScript clients.) Needs python3
// with venv and curl. Keeps the virtual environments for the next run.
const packages = [
  'google-genai==3.4.0',
  'openai==3.54.0',
  'fal-client==1.0.3',
  'replicate==1.0.7',
  'boto3==1.44.5',
  'mcp==2.3.0',
  'requests==2.34.2',
  'langchain-community==0.4.2',
];
const folder = join(import.meta.dirname, '../node_modules/.cache/darkroom-clients');
const python = join(folder, 'bin/python');
/** The time after which an intermediary cuts a connection. Jobs take longer. */
const cutMs = 2_000;
const jobMs = 5_000;
/** LiteLLM makes three attempts, and the client inside it makes three requests in each attempt. */
const liteLlmRequests = 9;

const clients: { script: string; start(): Promise<Service> }[] = [
  { script: 'google_client.py', start: keyed(startGemini, geminiKey) },
  { script: 'google_door.py', start: openWorld },
  { script: 'langchain_door.py', start: openWorld },
  { script: 'mcp_door.py', start: openWorld },
  { script: 'openai_client.py', start: keyed(startOpenAi, openAiKey) },
  { script: 'openai_door.py', start: openWorld },
  { script: 'azure_client.py', start: keyed(startAzure, azureKey) },
  { script: 'bedrock_client.py', start: keyed(startBedrock, bedrockKey) },
  { script: 'fal_run.py', start: keyed(startFal, falKey) },
  { script: 'replicate_client.py', start: keyed(startReplicate, replicateToken) },
];

if (!existsSync(python)) {
  await mkdir(folder, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
}
await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);

let failed = 0;
for (const { script, start } of clients)
  await report(script, async () => {
    await using service = await start();
    await run(python, [join(import.meta.dirname, 'clients', script), service.url, service.key]);
  });
await report('Python of the guides', runGuides);
await report('litellm_door.py', runLiteLlmSdk);
await report('LiteLLM of the guide', runLiteLlm);
for (const name of ['openai', 'genai', 'litellm', 'mcp'])
  for (const seconds of [0, 3])
    await report(seconds ? `${name} with a time-out` : `${name}, cut`, () => runCut(name, seconds));
await report('LiteLLM of the guide, cut', runCutLiteLlm);
process.stdout.write(`${clients.length + 12 - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function report(name: string, work: () => Promise<unknown>): Promise<void> {
  const error = await work().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  process.stdout.write(error === undefined ? `passed  ${name}\n` : `FAILED  ${name}: ${error}\n`);
  if (error !== undefined) failed += 1;
}

/** Runs the guides' samples unchanged, except for the URL and the key. */
async function runGuides(): Promise<void> {
  await using world = await openWorld();
  await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-guides-'));
  for (const name of ['fox.png', 'photo.jpg']) await writeFile(join(place.path, name), plainPng(64, 48));
  const env = { ...process.env, DARKROOM_API_KEY: world.key };
  for (const { code } of guides.flatMap(blocksOf).filter(({ language }) => language === 'python'))
    await run(python, ['-c', filledIn(code, world)], { cwd: place.path, env });
  // The samples make five images through OpenAI's API, two of them in a batch file, and one through Gemini's.
  if (world.provider.requests.length !== 6)
    throw new Error(`${world.provider.requests.length} images were made`);
}

async function runLiteLlmSdk(): Promise<void> {
  await using world = await openWorld();
  const script = join(import.meta.dirname, 'clients/litellm_door.py');
  await run(await installLiteLlm(), [script, world.url, world.key]);
}

/**
 * Runs LiteLLM with the guide's `config.yaml` in front of a Darkroom, and sends the guide's request, an edit and a
 * request that Darkroom refuses.
 */
async function runLiteLlm(): Promise<void> {
  await using world = await openWorld();
  const blocks = blocksOf('programs').map(({ code }) => code);
  const config = blocks.find((code) => code.startsWith('model_list:')) ?? '';
  const commands = blocks.find((code) => code.includes('--config config.yaml')) ?? '';
  if (!commands.includes(litellm)) throw new Error(`the guide does not install ${litellm}`);
  const masterKey = 'sk-of-this-run';
  const env = { DARKROOM_API_KEY: world.key, LITELLM_MASTER_KEY: masterKey };
  await using proxy = await startLiteLlm(filledIn(config, world), env);
  const request = commands.slice(commands.indexOf('curl ')).replace('http://127.0.0.1:4000', proxy.url);
  await run('sh', ['-c', `test "$(${request.trim()} -s | grep -c b64_json)" = 1`], {
    env: { ...process.env, ...env },
  });
  const form = new FormData();
  form.set('model', 'images');
  form.set('prompt', 'the same at night');
  form.set('image', new Blob([new Uint8Array(plainPng(64, 48))], { type: 'image/png' }), 'fox.png');
  const headers = { authorization: `Bearer ${masterKey}` };
  const edit = await fetch(`${proxy.url}/v1/images/edits`, { method: 'POST', headers, body: form });
  const answer = await edit.text();
  if (!edit.ok || !answer.includes('b64_json')) throw new Error(`an edit was refused: ${answer}`);
  const inputs = world.provider.requests.map(({ request: made }) => made.inputs.length);
  if (inputs.join() !== '0,1') throw new Error(`images were made with ${inputs} inputs`);
  const refused = await fetch(`${proxy.url}/v1/images/generations`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'images', prompt: '' }),
  });
  const { error } = (await refused.json()) as { error: { message: string } }; // the shape of LiteLLM's answers
  if (refused.status !== 400 || !error.message.includes('The prompt must not be empty.'))
    throw new Error(`a refusal is ${refused.status}: ${error.message}`);
}

/** Cuts a client's connections before its job is done. The client must retry and get one image, paid for once. */
async function runCut(name: string, seconds: number): Promise<void> {
  await using world = await openSlowWorld();
  await using proxy = await startCuttingProxy(world.url, { cuts: seconds ? 0 : 2, when: () => sleep(cutMs) });
  const bin = name === 'litellm' ? await installLiteLlm() : python;
  const script = join(import.meta.dirname, 'clients/cut.py');
  await run(bin, [script, name, proxy.url, world.key, String(seconds)]);
  await assertPaidOnce(world);
}

/** Lets the job finish only when the last request of LiteLLM and its inner client has arrived. */
async function runCutLiteLlm(): Promise<void> {
  await using world = await openWorld();
  const released = Promise.withResolvers<void>();
  world.provider.handler = async (request) => {
    await released.promise;
    return world.provider.answer(request);
  };
  await using proxy = await startCuttingProxy(world.url, {
    cuts: liteLlmRequests - 1,
    when: async (request) => (request === liteLlmRequests ? released.resolve() : sleep(cutMs)),
  });
  const config = blocksOf('programs').find(({ code }) => code.startsWith('model_list:'))?.code ?? '';
  const masterKey = 'sk-of-this-run';
  const env = { DARKROOM_API_KEY: world.key, LITELLM_MASTER_KEY: masterKey };
  await using litellm = await startLiteLlm(filledIn(config, { url: proxy.url, key: world.key }), env);
  const answer = await fetch(`${litellm.url}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${masterKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'images', prompt: 'a fox' }),
  });
  const text = await answer.text();
  if (!text.includes('b64_json')) throw new Error(`no image after ${proxy.requests()} requests: ${text}`);
  await assertPaidOnce(world);
}

async function openSlowWorld(): Promise<World> {
  const world = await openWorld();
  world.provider.handler = async (request) => {
    await sleep(jobMs);
    return world.provider.answer(request);
  };
  return world;
}

async function assertPaidOnce(world: World): Promise<void> {
  const { balance, reserved } = await world.balance();
  if (balance !== '99.96' || reserved !== '0.00' || world.provider.requests.length !== 1)
    throw new Error(
      `${world.provider.requests.length} images were made; ${balance} is left, ${reserved} reserved`,
    );
}

interface Service extends AsyncDisposable {
  url: string;
  key: string;
}

function keyed(start: () => Promise<Emulator>, key: string): () => Promise<Service> {
  return async () => Object.assign(await start(), { key });
}

async function run(command: string, args: readonly string[], options: SpawnOptions = {}): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
}
