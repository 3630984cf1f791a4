import { setTimeout as sleep } from 'node:timers/promises';
import type { Cast, ServerProcess } from './cast.ts';
import type { Fault, PlannedFault, ServerRole } from './plan.ts';
import type { Random } from './random.ts';

export interface Injected {
  fault: Fault;
  at: number;
  /** The process that it hit, if one was hit. */
  pid?: number;
  name?: string;
}

/**
 * Follows the schedule until it or the time is over. A fault waits until its process is ready: one that is
 * killed again while it starts does no work that could be lost.
 */
export async function injectFaults(
  cast: Cast,
  plan: readonly PlannedFault[],
  {
    random,
    signal,
    onInjected,
  }: { random: Random; signal: AbortSignal; onInjected: (injected: Injected) => void },
): Promise<void> {
  const beganAt = performance.now();
  const restarts = { running: Promise.resolve() };
  for (const { atMs, fault } of plan) {
    await sleep(Math.max(0, beganAt + atMs - performance.now()), undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    onInjected({ fault, at: Date.now(), ...(await inject(cast, fault, { random, restarts, onInjected })) });
  }
  await restarts.running;
}

interface Tools {
  random: Random;
  restarts: { running: Promise<void> };
  onInjected: (injected: Injected) => void;
}

type Hit = { pid?: number; name?: string };

async function inject(cast: Cast, fault: Fault, tools: Tools): Promise<Hit> {
  switch (fault.kind) {
    case 'kill':
      return strike(cast, fault.role, tools.random, ({ child }) => child.signal('SIGKILL'));
    case 'terminate':
      return strike(cast, fault.role, tools.random, ({ child }) => child.signal('SIGTERM'));
    case 'stop':
      return strike(cast, fault.role, tools.random, ({ child }) => stopFor(child, fault.ms));
    case 'block':
      return strike(cast, fault.role, tools.random, ({ child }) =>
        child.order({ order: 'block', ms: fault.ms }),
      );
    case 'kill-at-commit':
      return strike(cast, sideOf(fault.transaction), tools.random, (server) => armKill(server, fault));
    case 'reset-at-commit':
      return strike(cast, sideOf(fault.transaction), tools.random, ({ proxy }) => {
        proxy?.breakNextCommit({ ...fault, act: () => {} });
        return true;
      });
    case 'reset-connections':
      return strike(cast, fault.role, tools.random, ({ proxy }) => (proxy?.resetConnections() ?? 0) > 0);
    case 'drop-packets':
      return strike(cast, fault.role, tools.random, ({ proxy }) => proxy?.dropFor(fault.ms) ?? true);
    case 'delay-packets':
      return strike(cast, fault.role, tools.random, ({ proxy }) => proxy?.delayFor(fault.ms) ?? true);
    case 'database-restart':
      // One after the other; the schedule goes on meanwhile.
      tools.restarts.running = tools.restarts.running.then(() => cast.cluster?.restart(fault.how));
      return {};
    case 'store':
      return strike(cast, 'worker', tools.random, ({ child }) =>
        child.order({ order: 'store', mood: fault.mood, ms: fault.ms }),
      );
    case 'provider':
      cast.provider.order({ order: 'provider', mood: fault.mood, ms: fault.ms });
      return {};
    case 'receiver':
      cast.receiver.order({ order: 'receiver', mood: fault.mood, ms: fault.ms });
      return {};
  }
}

const sideOf = (transaction: 'create' | 'claim' | 'finish'): ServerRole =>
  transaction === 'create' ? 'api' : 'worker';

// A process is back within a second or two, and within half a minute where ten others want the processors; a harness
// that waits longer than this for one has found something.
const waitForTargetMs = 90_000;
const lookAgainMs = 50;

async function strike(
  cast: Cast,
  role: ServerRole,
  random: Random,
  hit: (server: ServerProcess) => boolean,
): Promise<Hit> {
  for (const giveUpAt = performance.now() + waitForTargetMs; ; ) {
    const [first, ...rest] = cast.servers.filter((server) => server.roles.includes(role));
    const target = first && random.pick([first, ...rest]);
    const pid = target?.child.pid();
    if (target?.child.isReady() && pid !== undefined && hit(target)) return { pid, name: target.child.name };
    if (performance.now() > giveUpAt) throw new Error(`no ${role} process came up in ${waitForTargetMs} ms`);
    await sleep(lookAgainMs);
  }
}

function stopFor(child: ServerProcess['child'], ms: number): boolean {
  const pid = child.pid();
  if (pid === undefined || !child.signal('SIGSTOP')) return false;
  setTimeout(() => child.pid() === pid && child.signal('SIGCONT'), ms);
  return true;
}

function armKill(
  { child, proxy }: ServerProcess,
  { transaction, moment }: { transaction: 'create' | 'claim' | 'finish'; moment: 'before' | 'after' },
): boolean {
  if (!proxy) return child.order({ order: 'die-at-commit', transaction, moment });
  proxy.breakNextCommit({ transaction, moment, act: () => child.signal('SIGKILL') });
  return true;
}
