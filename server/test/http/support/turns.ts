import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';

/** Somebody who waits for an answer waits as long. In processor time of the thread, where known work takes as long as it says. */
export const enoughMs = 20;

/** What the event loop did between two looks at it. */
export interface Turn {
  from: number;
  to: number;
  /** Processor time of the thread: what others on this machine do is not in it. */
  ms: number;
}

/** Watches the turns of this thread. */
export interface TurnClock extends Disposable {
  /** Since the last look. */
  look(): Turn;
  /** Without the time in which garbage was collected: how long that takes is a matter of the whole heap, and of when it is full. */
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
      // Of both only the time by the clock is known, in which others had the processor too.
      return ms * Math.max(0, 1 - collected / (to - from));
    },
    [Symbol.dispose]: () => observer.disconnect(),
  };
}

const mostCollections = 1_000;

export interface Turns extends Disposable {
  /** Of those that are over. */
  longestMs(): Promise<number>;
}

/**
 * Looks at the event loop whenever it has been busy: what it did between two looks is a turn, or some that were short. A loop that
 * goes round without end would see each, and take a processor from those who send.
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
      // An answer may be here before the turn is over in which it was sent, and collections are told later.
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
  // Linux brings the count of a running thread up to date only when the whole process is asked for; else it lags by up to 4 ms.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Of known work, on the machine where `enoughMs` was chosen. */
export const knownWorkMs = 4;
const tries = 9;
const text = JSON.stringify(
  Array.from({ length: 1_500 }, (_, at) => ({ name: `entry ${at}`, values: [at, 0.5, null] })),
);

/** The work of most turns: reading bytes one by one, and making values of them. */
export function doKnownWork(): void {
  let quotes = 0;
  for (let round = 0; round < 5; round += 1) {
    const bytes = Buffer.from(text);
    for (const byte of bytes) if (byte === 0x22) quotes += 1;
    JSON.parse(bytes.toString());
  }
  if (quotes === 0) throw new Error('the work was left out');
}

/** How many times as long as it should work takes on this machine now: 2 where it is half as fast, or shares its cores. Never below 1. */
export function slowness(): number {
  const taken = Array.from({ length: tries }, () => {
    const before = threadMs();
    doKnownWork();
    return threadMs() - before;
  });
  const [middle = 0] = taken.sort((one, other) => one - other).slice(Math.floor(tries / 2));
  return Math.max(1, middle / knownWorkMs);
}
