import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What happens to each sync: it is delayed by a time, or fails as on a broken disk. */
export type SyncHarm = { delayMs: number } | 'failing';

const calls = 'fsync,fdatasync';
/** How long to wait for strace, which usually releases a process in a tenth of this time. */
const patienceMs = 2_000;

/** Why syncs cannot be harmed here; undefined if they can. */
export function whyNoTracing(): string | undefined {
  const probe = spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']);
  return probe.status === 0 ? undefined : 'needs strace';
}

/** For a time, delays or fails all syncs of these processes and their children. Processes that end are released. */
export async function harmSyncs(pids: readonly number[], harm: SyncHarm, ms: number): Promise<void> {
  const how = harm === 'failing' ? 'error=EIO' : `delay_exit=${harm.delayMs * 1_000}`;
  const tracer = spawn(
    'strace',
    ['-f', '-o', '/dev/null', ...pids.flatMap((pid) => ['-p', `${pid}`])].concat(
      ['-e', `trace=${calls}`],
      ['-e', `inject=${calls}:${how}`],
    ),
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const gone = once(tracer, 'exit');
  // Waits until strace reports that it has attached, or why it could not.
  await Promise.race([once(tracer.stderr, 'data'), gone]);
  tracer.stderr.resume();
  await Promise.race([sleep(ms), gone]);
  tracer.kill('SIGINT');
  // Sometimes strace waits for a killed thread, and the process cannot be reaped until strace stops.
  await Promise.race([sleep(patienceMs), gone]);
  tracer.kill('SIGKILL');
  await gone;
}

export function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)];
}

export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    return []; // it has ended
  }
}
