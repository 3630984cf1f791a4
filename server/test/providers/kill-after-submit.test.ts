import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { createProvider } from '../../src/upstream/providers/create-provider.ts';
import type { CredentialsOf, ProviderChoice } from '../../src/upstream/providers/providers.ts';
import { bflKey, startBfl } from '../emulators/bfl.ts';
import type { Emulator } from '../emulators/emulator.ts';
import { falKey, startFal } from '../emulators/fal.ts';
import { replicateToken, startReplicate } from '../emulators/replicate.ts';
import { closing, guard, request, run } from './requests.ts';

it('kill -9 after submit to fal: one remote job, one result', async () => {
  await using emulator = await startFal();
  const settings = { model: 'fal-ai/nano-banana-2', baseUrl: emulator.url, pollMs: 10 };
  await survives({ provider: 'fal', settings }, { key: falKey }, emulator);
  assert.equal(emulator.accepted.length, 1);
});

it('kill -9 after submit to Replicate: one remote job, one result', async () => {
  await using emulator = await startReplicate();
  const settings = { model: 'google/nano-banana-pro', baseUrl: `${emulator.url}/v1`, pollMs: 10 };
  await survives({ provider: 'replicate', settings }, { token: replicateToken }, emulator);
  assert.equal(emulator.accepted.length, 1);
});

it('kill -9 after submit to Black Forest Labs: one remote job, one result', async () => {
  await using emulator = await startBfl();
  const settings = { model: 'flux-2-pro', baseUrl: `${emulator.url}/v1`, pollMs: 10 };
  await survives({ provider: 'bfl', settings }, { apiKey: bflKey }, emulator);
  assert.equal(emulator.accepted.length, 1);
});

/** A process submits, reports the id and is killed while it waits; this process resumes the request. */
async function survives<Kind extends 'fal' | 'replicate' | 'bfl'>(
  choice: ProviderChoice<Kind>,
  credentials: CredentialsOf[Kind],
  emulator: Emulator,
): Promise<void> {
  const given = [{ credentials, addresses: [choice.settings.baseUrl] }];
  const wanted = request();
  const looked = emulator.arrived('status');
  emulator.answer('status', 'hang');
  const module = new URL('../../src/upstream/providers/create-provider.ts', import.meta.url).href;
  const guardModule = new URL('../../src/base/guard/guard.ts', import.meta.url).href;
  const code = `
    const { createProvider } = await import(${JSON.stringify(module)});
    const { createGuard } = await import(${JSON.stringify(guardModule)});
    const guard = createGuard({ allowNetworks: [] });
    const provider = createProvider(...${JSON.stringify([choice, given])}, guard);
    const onSubmitted = async (id) => process.stdout.write(id);
    const onCharge = () => undefined;
    const run = { signal: AbortSignal.timeout(60_000), attempt: 1, onSubmitted, onCharge };
    await provider.generate(${JSON.stringify(wanted)}, run);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const told = child.stdout.setEncoding('utf8').toArray();
  await Promise.race([
    looked,
    exited.then(() => assert.fail('the process ended before it asked for its result')),
  ]);
  child.kill('SIGKILL');
  await exited;
  const remoteId = (await told).join('');

  await using open = closing({ provider: createProvider(choice, given, guard) });
  const made = await open.provider.generate(wanted, run({ attempt: 2, remoteId }));
  assert.ok(made.bytes.length > 0);
  assert.equal(emulator.of('submit').length, 1);
  assert.equal(emulator.of('file').length, 1);
}
