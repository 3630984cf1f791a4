import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { azureKey, startAzure } from '../server/test/emulators/azure.ts';
import { bedrockKey, startBedrock } from '../server/test/emulators/bedrock.ts';
import { falKey, startFal } from '../server/test/emulators/fal.ts';
import { geminiKey, startGemini } from '../server/test/emulators/gemini.ts';
import { openAiKey, startOpenAi } from '../server/test/emulators/openai.ts';
import { replicateToken, startReplicate } from '../server/test/emulators/replicate.ts';

// npm run clients
// Runs the vendors' own Python clients against the emulators that our tests use: where an official client cannot use an
// emulator, the emulator hides our mistakes. (Their JavaScript clients do the same in npm test.) Needs python3 with venv; the
// packages go to a virtual environment of their own, which is kept for the next run.
const packages = [
  'google-genai==3.4.0',
  'openai==3.54.0',
  'fal-client==1.0.3',
  'replicate==1.0.7',
  'boto3==1.44.5',
];
const folder = join(import.meta.dirname, '../node_modules/.cache/darkroom-clients');
const python = join(folder, 'bin/python');

const clients = [
  { script: 'google_client.py', start: startGemini, key: geminiKey },
  { script: 'openai_client.py', start: startOpenAi, key: openAiKey },
  { script: 'azure_client.py', start: startAzure, key: azureKey },
  { script: 'bedrock_client.py', start: startBedrock, key: bedrockKey },
  { script: 'fal_run.py', start: startFal, key: falKey },
  { script: 'replicate_client.py', start: startReplicate, key: replicateToken },
];

if (!existsSync(python)) {
  await mkdir(folder, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
}
await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);

let failed = 0;
for (const { script, start, key } of clients) {
  await using emulator = await start();
  const code = await run(python, [join(import.meta.dirname, 'clients', script), emulator.url, key]).catch(
    () => 1,
  );
  process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'}  ${script}\n`);
  if (code !== 0) failed += 1;
}
process.stdout.write(`${clients.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function run(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
  return code;
}
