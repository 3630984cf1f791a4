import type { Random } from './random.ts';

/** Transactions of the server that a failpoint can wait for. */
export const transactionKinds = ['create', 'claim', 'finish'] as const;
export type TransactionKind = (typeof transactionKinds)[number];
/** `before`: the database never sees the COMMIT. `after`: it commits, but the server never sees the answer. */
export type Moment = 'before' | 'after';

export type Fault =
  | { kind: 'kill'; role: ServerRole }
  | { kind: 'kill-at-commit'; transaction: TransactionKind; moment: Moment }
  | { kind: 'kill-decoder'; role: ServerRole }
  | { kind: 'stop'; role: ServerRole; ms: number }
  | { kind: 'block'; role: ServerRole; ms: number }
  | { kind: 'terminate'; role: ServerRole }
  | { kind: 'change-version'; role: ServerRole }
  | { kind: 'sync'; of: ServerRole | 'database'; how: SyncHow; ms: number }
  | { kind: 'disk-full'; ms: number }
  | { kind: 'database-restart'; how: 'fast' | 'immediate' }
  | { kind: 'take-connections'; ms: number }
  | { kind: 'reset-at-commit'; transaction: TransactionKind; moment: Moment }
  | { kind: 'reset-connections'; role: ServerRole }
  | { kind: 'drop-packets'; role: ServerRole; ms: number }
  | { kind: 'delay-packets'; role: ServerRole; ms: number }
  | { kind: 'partition'; role: ServerRole; direction: Direction; ms: number }
  | { kind: 'store'; mood: StoreMood; ms: number }
  | { kind: 'objects'; mood: ObjectsMood; ms: number }
  | { kind: 'provider'; mood: ProviderMood; ms: number }
  | { kind: 'receiver'; mood: ReceiverMood; ms: number };

export type FaultKind = Fault['kind'];
export type ServerRole = 'api' | 'worker';
export type SyncHow = 'slow' | 'failing';
/** The direction in which packets are dropped: to the database, or back. */
export type Direction = 'there' | 'back';
export type StoreMood = 'failing' | 'slow' | 'failing-after-write';
/** `late`: objects appear a while after their PUT. `cutting`: half a PUT arrives. `forgetful`: the answer is lost. */
export type ObjectsMood = 'late' | 'cutting' | 'forgetful' | 'busy' | 'slow';
export type ProviderMood = 'slow' | 'silent' | 'refusing' | 'lying' | 'closing';
export type ReceiverMood = 'down' | 'refusing' | 'slow';

export interface PlannedFault {
  atMs: number;
  fault: Fault;
}

type Maker = (random: Random) => Fault;

type Part = [parts: number, make: Maker];

const roleOf = (random: Random): ServerRole => random.pick(['api', 'worker']);
const momentOf = (random: Random): Moment => random.pick(['before', 'after']);
const transactionOf = (random: Random): TransactionKind => random.pick(transactionKinds);
const killAtCommit: Maker = (random) => ({
  kind: 'kill-at-commit',
  transaction: transactionOf(random),
  moment: momentOf(random),
});
const howOf = (random: Random): SyncHow => random.pick(['slow', 'slow', 'failing']);

// Workers that stop or block for this long outlive their lease of 20 s. The server must refuse results of such zombies.
const zombieMs = 23_000;

const common: Part[] = [
  [2, (random) => ({ kind: 'terminate', role: roleOf(random) })],
  [4, (random) => ({ kind: 'stop', role: roleOf(random), ms: random.between(500, 4_000) })],
  [5, (random) => ({ kind: 'kill-decoder', role: roleOf(random) })],
  [
    4,
    (random) => ({
      kind: 'store',
      mood: random.pick(['failing', 'slow', 'failing-after-write']),
      ms: random.between(500, 3_000),
    }),
  ],
  [
    8,
    (random) => ({
      kind: 'objects',
      mood: random.pick(['late', 'cutting', 'forgetful', 'busy', 'slow']),
      ms: random.between(1_000, 5_000),
    }),
  ],
  [
    10,
    (random) => ({
      kind: 'provider',
      mood: random.pick(['slow', 'silent', 'refusing', 'lying', 'closing']),
      ms: random.between(500, 3_000),
    }),
  ],
  [
    4,
    (random) => ({
      kind: 'receiver',
      mood: random.pick(['down', 'refusing', 'slow']),
      ms: random.between(500, 5_000),
    }),
  ],
  [2, (random) => ({ kind: 'disk-full', ms: random.between(500, 3_000) })],
];

// Seldom drawn, because each of these faults makes a worker unavailable for a long time.
const zombies: Part[] = [
  [0.6, () => ({ kind: 'stop', role: 'worker', ms: zombieMs })],
  [0.4, () => ({ kind: 'block', role: 'worker', ms: zombieMs })],
];

const onPostgres: Part[] = [
  [16, (random) => ({ kind: 'kill', role: roleOf(random) })],
  [12, killAtCommit],
  [3, (random) => ({ kind: 'change-version', role: roleOf(random) })],
  [4, (random) => ({ kind: 'database-restart', how: random.pick(['fast', 'immediate']) })],
  [3, (random) => ({ kind: 'sync', of: 'database', how: howOf(random), ms: random.between(500, 3_000) })],
  [2, (random) => ({ kind: 'take-connections', ms: random.between(500, 4_000) })],
  [
    12,
    (random) => ({ kind: 'reset-at-commit', transaction: transactionOf(random), moment: momentOf(random) }),
  ],
  [6, (random) => ({ kind: 'reset-connections', role: roleOf(random) })],
  [3, (random) => ({ kind: 'drop-packets', role: roleOf(random), ms: random.between(1_000, 20_000) })],
  [3, (random) => ({ kind: 'delay-packets', role: roleOf(random), ms: random.between(1_000, 4_000) })],
  [
    5,
    (random) => ({
      kind: 'partition',
      role: roleOf(random),
      direction: random.pick(['there', 'back']),
      ms: random.between(1_000, 20_000),
    }),
  ],
];

// Only one process has the database file open, so the main faults are deaths at the worst moments and a failing disk.
const onSqlite: Part[] = [
  [14, (random) => ({ kind: 'kill', role: roleOf(random) })],
  [14, killAtCommit],
  [14, (random) => ({ kind: 'sync', of: 'worker', how: howOf(random), ms: random.between(500, 4_000) })],
];

export interface PlanOptions {
  database: 'sqlite' | 'postgres';
  /** `each`: one of each kind in random order, for as long as that takes. */
  count: number | 'each';
  minutes: number;
  withZombies: boolean;
  /** The kinds of faults to inject; by default all. */
  only?: readonly FaultKind[];
  /** Kinds of faults that this machine cannot make. */
  without?: ReadonlySet<FaultKind>;
}

/** The whole schedule: `count` faults, spread over `minutes` with uneven gaps. */
export function planFaults(random: Random, options: PlanOptions): PlannedFault[] {
  const faults = options.count === 'each' ? oneOfEach(random, options) : draw(random, options, options.count);
  const spacing = (options.minutes * 60_000) / (faults.length + 1);
  return faults.map((fault, index) => ({
    atMs: Math.round((index + 0.5 + random.next()) * spacing),
    fault,
  }));
}

function partsOf({ database, withZombies }: PlanOptions): Part[] {
  return [...common, ...(withZombies ? zombies : []), ...(database === 'postgres' ? onPostgres : onSqlite)];
}

// The maximum number of draws, so high that any existing kind comes up.
const maxDraws = 10_000;

function draw(random: Random, options: PlanOptions, count: number): Fault[] {
  const { only, without } = options;
  const parts = partsOf(options);
  const total = parts.reduce((sum, [each]) => sum + each, 0);
  const faults: Fault[] = [];
  for (let draws = 0; faults.length < count; draws++) {
    if (draws > maxDraws * count)
      throw new TypeError(`there is no fault of the kind "${only}" here for this database`);
    let left = random.next() * total;
    const fault = parts.find(([each]) => {
      left -= each;
      return left <= 0;
    })?.[1](random);
    if (fault && (only ?? [fault.kind]).includes(fault.kind) && !without?.has(fault.kind)) faults.push(fault);
  }
  return faults;
}

// The number of draws of each kind, enough to include every variant.
const drawsOfEach = 200;

function oneOfEach(random: Random, options: PlanOptions): Fault[] {
  const { only, without } = options;
  const drawn = partsOf(options)
    .flatMap(([, make]) => Array.from({ length: drawsOfEach }, () => make(random)))
    .filter(({ kind }) => (only ?? [kind]).includes(kind) && !without?.has(kind))
    .sort((one, other) => msOf(other) - msOf(one)); // keeps the shortest of each
  const each = new Map(drawn.map((fault) => [nameOf(fault), { at: random.next(), fault }]));
  return [...each.values()].sort((one, other) => one.at - other.at).map(({ fault }) => fault);
}

const msOf = (fault: Fault) => ('ms' in fault ? fault.ms : 0);

export function nameOf(fault: Fault): string {
  const { kind, ms: _ms, ...rest } = { ms: 0, ...fault };
  return [kind, ...Object.values(rest)].join(' ');
}
