import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Report } from './test-worker.ts';

/** A process that runs one file of tests after the other. */
export interface TestProcess {
  /** @param hangMs a file that takes longer fails, and its process ends */
  run(file: string, hangMs: number): Promise<Report>;
  /** Ends it. @returns what it said since the last file, and whether it had to be ended by force */
  end(withinMs?: number): Promise<{ text: string; hung: boolean }>;
}

const endWithinMs = 60_000;

export function startTestProcess(env: NodeJS.ProcessEnv): TestProcess {
  const child: ChildProcess = fork(join(import.meta.dirname, 'test-worker.ts'), {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  // Not `close`, which never comes after `disconnect`.
  const gone = once(child, 'exit');
  const takeOutput = () => {
    const text = output;
    output = '';
    return text;
  };
  return {
    async run(file, hangMs) {
      const timeout = setTimeout(() => child.kill('SIGTERM'), hangMs);
      child.send(file);
      const report = await Promise.race([
        once(child, 'message').then(([message]) => message as Report), // as the worker sends it
        gone.then((): Report => lost(`its process ended: ${child.signalCode ?? child.exitCode}\n`)),
      ]);
      clearTimeout(timeout);
      return { ...report, text: report.text + takeOutput() };
    },
    async end(withinMs = endWithinMs) {
      let hung = false;
      const timeout = setTimeout(() => {
        hung = true;
        child.kill('SIGTERM');
      }, withinMs);
      if (child.connected) child.disconnect();
      await gone;
      clearTimeout(timeout);
      return { text: takeOutput(), hung };
    },
  };
}

function lost(text: string): Report {
  return { text, failed: true, counts: [], cpuMs: 0, residentBytes: Number.POSITIVE_INFINITY };
}
