import { setTimeout as sleep } from 'node:timers/promises';
import type { Cast } from './cast.ts';
import { killDecoder } from './harm/kill-decoder.ts';
import { strike, tryToStrike } from './harm/strike.ts';
import { takeConnections } from './harm/take-connections.ts';
import { familyOf, harmSyncs } from './harm/trace-syncs.ts';
import type { Fault, FaultKind, PlannedFault, ServerRole, SyncHow, TransactionKind } from './plan.ts';
import type { Random } from './random.ts';

export interface Injected {
  fault: Fault;
  at: number;
  pid?: number;
  name?: string;
}

/**
 * Follows the schedule to its end or the time limit. A fault waits until its process is ready, because killing a
 * process that is starting loses no work. Faults outside `takesAway` continue while later ones begin.
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
  const tools = { random, lasting: new Set<Promise<void>>(), onDatabase: Promise.resolve() };
  for (const { atMs, fault } of plan) {
    await sleep(Math.max(0, beganAt + atMs - performance.now()), undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    const done = goOn(tools, async () => {
      const hit = await inject(cast, fault, tools);
      if (hit) onInjected({ fault, at: Date.now(), ...hit });
    });
    if (takesAway.has(fault.kind)) await done;
  }
  while (tools.lasting.size > 0) await Promise.all(tools.lasting);
}

/** These faults run one after the other, so that a process has time to work before the next fault ends it. */
const takesAway: ReadonlySet<FaultKind> = new Set([
  'kill',
  'kill-at-commit',
  'terminate',
  'change-version',
  'stop',
  'block',
]);

interface Tools {
  random: Random;
  lasting: Set<Promise<void>>;
  onDatabase: Promise<void>;
}

type Hit = { pid?: number; name?: string };

async function inject(cast: Cast, fault: Fault, tools: Tools): Promise<Hit | undefined> {
  switch (fault.kind) {
    case 'kill':
      return strike(cast, fault.role, tools.random, ({ child }) => child.signal('SIGKILL'));
    case 'terminate':
      return strike(cast, fault.role, tools.random, ({ child }) => child.signal('SIGTERM'));
    case 'change-version':
      return strike(cast, fault.role, tools.random, ({ child, changeVersion }) => {
        changeVersion();
        return child.signal('SIGTERM');
      });
    case 'kill-decoder':
      return tryToStrike(cast, fault.role, tools.random, decoderWithinMs, ({ child }) =>
        killDecoder(child.pid() ?? 0),
      );
    case 'stop':
      return strike(cast, fault.role, tools.random, ({ child }) => stopFor(child, fault.ms));
    case 'block':
      return strike(cast, fault.role, tools.random, ({ child }) =>
        child.order({ order: 'block', ms: fault.ms }),
      );
    case 'kill-at-commit':
      return strike(cast, sideOf(fault.transaction), tools.random, ({ child, proxy }) => {
        if (!proxy) return child.order({ ...fault, order: 'die-at-commit' });
        proxy.breakNextCommit({ ...fault, act: () => child.signal('SIGKILL') });
        return true;
      });
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
    case 'partition':
      return strike(
        cast,
        fault.role,
        tools.random,
        ({ proxy }) => proxy?.partitionFor(fault.direction, fault.ms) ?? true,
      );
    case 'store':
      return strike(cast, 'worker', tools.random, ({ child }) =>
        child.order({ order: 'store', mood: fault.mood, ms: fault.ms }),
      );
    case 'objects':
      cast.objects?.order({ ...fault, order: 'objects' });
      return {};
    case 'provider':
      cast.provider.order({ ...fault, order: 'provider' });
      return {};
    case 'receiver':
      cast.receiver.order({ ...fault, order: 'receiver' });
      return {};
    default:
      return harmDatabase(cast, fault, tools);
  }
}

type OfDatabase = Extract<Fault, { kind: 'sync' | 'disk-full' | 'database-restart' | 'take-connections' }>;

async function harmDatabase(cast: Cast, fault: OfDatabase, tools: Tools): Promise<Hit> {
  const { cluster } = cast;
  if (fault.kind === 'sync' && fault.of !== 'database')
    return strike(cast, fault.of, tools.random, ({ child }) => {
      void goOn(tools, () => harmSyncs([child.pid() ?? 0], harmOf(fault.how, tools.random), fault.ms));
    });
  const done = tools.onDatabase.then(async () => {
    try {
      if (fault.kind === 'database-restart') await cluster?.restart(fault.how);
      if (fault.kind === 'sync') {
        const pid = cluster?.pid();
        if (pid) await harmSyncs(familyOf(pid), harmOf(fault.how, tools.random), fault.ms);
        // After a failing disk, PostgreSQL may wait forever for a child that ended while it was traced.
        if (fault.how === 'failing') await cluster?.restart('immediate');
      }
      if (fault.kind === 'disk-full') await fillFor(cast, fault.ms);
      if (fault.kind === 'take-connections') await takeFor(cast, fault.ms);
      // PostgreSQL ends if it cannot write its log; an operator would restart it.
      await cluster?.start();
    } catch (error) {
      cast.findings.push(`${fault.kind}: the database did not come back: ${error}`);
    }
  });
  tools.onDatabase = done;
  void goOn(tools, () => done);
  return {};
}

function goOn({ lasting }: Tools, work: () => Promise<void>): Promise<void> {
  const going = work().finally(() => lasting.delete(going));
  lasting.add(going);
  return going;
}

const harmOf = (how: SyncHow, random: Random) =>
  how === 'failing' ? how : { delayMs: random.between(20, 400) };

async function fillFor({ disk }: Cast, ms: number): Promise<void> {
  disk?.fill();
  await sleep(ms);
  disk?.empty();
}

async function takeFor({ cluster, servers }: Cast, ms: number): Promise<void> {
  await using _taken = await takeConnections(cluster?.url ?? '');
  for (const { proxy } of servers) proxy?.resetConnections();
  await using _more = await takeConnections(cluster?.url ?? '');
  await sleep(ms);
}

// How long to wait for a decoder. A process starts a decoder with its first image, and keeps it for some time.
const decoderWithinMs = 20_000;

const sideOf = (transaction: TransactionKind): ServerRole => (transaction === 'create' ? 'api' : 'worker');

function stopFor(child: Cast['provider'], ms: number): boolean {
  const pid = child.pid();
  if (pid === undefined || !child.signal('SIGSTOP')) return false;
  setTimeout(() => child.pid() === pid && child.signal('SIGCONT'), ms);
  return true;
}
