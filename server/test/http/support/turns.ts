import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';

/** The longest acceptable turn, in processor time of the thread, scaled by the time for known work. */
export const enoughMs = 20;

export interface Turn {
  from: number;
  to: number;
  /** Processor time of the thread, without other processes. */
  ms: number;
}

export interface TurnClock extends Disposable {
  look(): Turn;
  /** The time without garbage collection, which depends on the whole heap and on when it is full. */
  ownMs(turn: Turn): number;
}

export function openTurnClock(): TurnClock {
  let collections: PerformanceEntry[] = [];
  const note = (entries: PerformanceEntry[]) => {
    collections = [...collections, ...entries].slice(-mostCollections);
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  let [before, from] = [threadMs(), performance.now()];
  return {
    look() {
      const [now, to] = [threadMs(), performance.now()];
      const turn = { from, to, ms: now - before };
      [before, from] = [now, to];
      return turn;
    },
    ownMs({ from, to, ms }) {
      note(observer.takeRecords());
      const collected = collections.reduce(
        (sum, { startTime, duration }) =>
          sum + Math.max(0, Math.min(to, startTime + duration) - Math.max(from, startTime)),
        0,
      );
      // Of collections, only the wall-clock time is known, which includes other processes.
      return ms * Math.max(0, 1 - collected / (to - from));
    },
    [Symbol.dispose]: () => observer.disconnect(),
  };
}

const mostCollections = 1_000;

export interface Turns extends Disposable {
  longestMs(): Promise<number>;
}

/**
 * Checks the event loop whenever it was busy: its work between two checks is one turn, or several short ones. A check
 * in every turn would never rest, and would take a processor from the senders.
 */
export function measureTurns(): Turns {
  const clock = openTurnClock();
  const long: Turn[] = [];
  const look = () => {
    const turn = clock.look();
    if (turn.ms > shortMs) long.push(turn);
  };
  const looking = setInterval(look, lookEveryMs);
  return {
    async longestMs() {
      // An answer may arrive before the end of the turn that sent it, and collections are reported later.
      for (let turns = 0; turns < 3; turns += 1) await new Promise(setImmediate);
      look();
      return Math.max(0, ...long.map(clock.ownMs));
    },
    [Symbol.dispose]() {
      clearInterval(looking);
      clock[Symbol.dispose]();
    },
  };
}

const lookEveryMs = 1;
const shortMs = 1;

function threadMs(): number {
  // Linux updates a running thread's processor time only when the whole process's is read; without that, it lags
  // by up to 4 ms.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The time for known work on the machine on which `enoughMs` was chosen. */
export const knownWorkMs = 4;
const tries = 9;
const text = JSON.stringify(
  Array.from({ length: 1_500 }, (_, at) => ({ name: `entry ${at}`, values: [at, 0.5, null] })),
);

export function doKnownWork(): void {
  let quotes = 0;
  for (let round = 0; round < 5; round += 1) {
    const bytes = Buffer.from(text);
    for (const byte of bytes) if (byte === 0x22) quotes += 1;
    JSON.parse(bytes.toString());
  }
  if (quotes === 0) throw new Error('the work was left out');
}

/** How many times as long as usual work takes now: 2 on a machine of half the speed. Never below 1. */
export function slowness(): number {
  const taken = Array.from({ length: tries }, () => {
    const before = threadMs();
    doKnownWork();
    return threadMs() - before;
  });
  const [middle = 0] = taken.sort((one, other) => one - other).slice(Math.floor(tries / 2));
  return Math.max(1, middle / knownWorkMs);
}
