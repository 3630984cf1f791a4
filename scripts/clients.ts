import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { azureKey, startAzure } from '../server/test/emulators/azure.ts';
import { bedrockKey, startBedrock } from '../server/test/emulators/bedrock.ts';
import type { Emulator } from '../server/test/emulators/emulator.ts';
import { falKey, startFal } from '../server/test/emulators/fal.ts';
import { geminiKey, startGemini } from '../server/test/emulators/gemini.ts';
import { openAiKey, startOpenAi } from '../server/test/emulators/openai.ts';
import { replicateToken, startReplicate } from '../server/test/emulators/replicate.ts';
import { openWorld } from '../server/test/world/world.ts';

// npm run clients
// Runs the vendors' own Python clients against the emulators that our tests use: where an official client cannot use an
// emulator, the emulator hides our mistakes. Those whose API Darkroom speaks run against a whole Darkroom as well. (Their
// JavaScript clients do the same in npm test.) Needs python3 with venv; the packages go to a virtual environment of their
// own, which is kept for the next run.
const packages = [
  'google-genai==3.4.0',
  'openai==3.54.0',
  'fal-client==1.0.3',
  'replicate==1.0.7',
  'boto3==1.44.5',
  'mcp==2.3.0',
];
const folder = join(import.meta.dirname, '../node_modules/.cache/darkroom-clients');
const python = join(folder, 'bin/python');

const clients: { script: string; start(): Promise<Service> }[] = [
  { script: 'google_client.py', start: keyed(startGemini, geminiKey) },
  { script: 'google_door.py', start: openWorld },
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
for (const { script, start } of clients) {
  await using service = await start();
  const code = await run(python, [
    join(import.meta.dirname, 'clients', script),
    service.url,
    service.key,
  ]).catch(() => 1);
  process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'}  ${script}\n`);
  if (code !== 0) failed += 1;
}
process.stdout.write(`${clients.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

interface Service extends AsyncDisposable {
  url: string;
  key: string;
}

function keyed(start: () => Promise<Emulator>, key: string): () => Promise<Service> {
  return async () => Object.assign(await start(), { key });
}

async function run(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
  return code;
}
