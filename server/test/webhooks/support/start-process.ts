import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { outerEnv, programFile } from '../../world/program-file.ts';
import { receiverNetwork } from './receiver.ts';
import type { WebhookWorld } from './webhook-world.ts';

interface Process extends AsyncDisposable {
  url: string | null;
  kill(): Promise<void>;
}

export async function startProcess(
  { world }: WebhookWorld,
  role: 'api' | 'worker',
  allowNetworks = receiverNetwork,
): Promise<Process> {
  const child: ChildProcess = spawn(process.execPath, [programFile('server'), '--role', role], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...outerEnv(),
      PORT: '0',
      DARKROOM_DATA_DIR: world.config.dataDir,
      DARKROOM_ALLOW_NETWORKS: allowNetworks,
      ...(world.config.databaseUrl && { DATABASE_URL: world.config.databaseUrl }),
    },
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const url = await started(child);
  return { url, kill, [Symbol.asyncDispose]: kill };
}

async function started(child: ChildProcess): Promise<string | null> {
  if (!child.stdout) throw new Error('no stdout');
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('{') && line.includes('"server.started"')) {
      child.stdout.resume();
      return JSON.parse(line).url;
    }
  }
  throw new Error('the process ended before it had started');
}
