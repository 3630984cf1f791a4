import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isRunning } from '../../server/src/base/std/is-running.ts';
import type { Order, Report } from './test-worker.ts';

export interface TestProcess {
  /**
   * @param hangMs a file that takes longer fails, with `late` set, and the process is ended
   * @param untilFailure stops at the first failed test; after such a failure, the process cannot run another file
   */
  run(file: string, hangMs: number, untilFailure?: boolean): Promise<Report & { late: boolean }>;
  kill(): void;
  /** Ends the process. @returns its output since the last file, and whether it had to be killed */
  end(withinMs?: number): Promise<{ text: string; hung: boolean }>;
}

/** A process that occupies more memory than this runs no further files. */
export const maxResidentBytes = 900e6;
const endWithinMs = 60_000;
const sayWithinMs = 10_000;

export function startTestProcess(env: NodeJS.ProcessEnv): TestProcess {
  const child: ChildProcess = fork(join(import.meta.dirname, 'test-worker.ts'), {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true, // leads a group of processes, in which the servers of its tests are
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  // Waits for `exit`, because `close` never comes after `disconnect`.
  const gone = once(child, 'exit').finally(() => killGroup(child.pid));
  // Sends SIGTERM, then SIGKILL, because a process in an endless loop does not react to SIGTERM.
  const endNow = () => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), sayWithinMs).unref();
  };
  const takeOutput = () => {
    const text = output;
    output = '';
    return text;
  };
  return {
    async run(file, hangMs, untilFailure = false) {
      let late = false;
      const timeout = setTimeout(() => {
        late = true;
        endNow();
      }, hangMs);
      const order: Order = { file, untilFailure };
      child.send(order);
      const report = await Promise.race([
        once(child, 'message').then(([message]) => message as Report), // the form that the worker sends
        gone.then((): Report => lost(`its process ended: ${child.signalCode ?? child.exitCode}\n`)),
      ]);
      clearTimeout(timeout);
      return { ...report, text: report.text + takeOutput(), late };
    },
    kill: endNow,
    async end(withinMs = endWithinMs) {
      let hung = false;
      const timeout = setTimeout(() => {
        hung = true;
        endNow();
      }, withinMs);
      if (child.connected) child.disconnect();
      await gone;
      clearTimeout(timeout);
      // A test's detached processes may hold these streams open, which would keep this process from ending.
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
      return { text: takeOutput(), hung };
    },
  };
}

/** Kills the servers that a killed test left behind, because nothing else would. */
function killGroup(leader: number | undefined): void {
  if (leader !== undefined && isRunning(-leader)) process.kill(-leader, 'SIGKILL');
}

function lost(text: string): Report {
  return { text, failed: true, counts: [], cpuMs: 0, residentBytes: Number.POSITIVE_INFINITY };
}
