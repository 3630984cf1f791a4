import type { Random } from './random.ts';

/** Which transaction of the server a failpoint waits for. */
export const transactionKinds = ['create', 'claim', 'finish'] as const;
export type TransactionKind = (typeof transactionKinds)[number];
/** `before`: the database never sees the COMMIT. `after`: it commits, and nobody hears of it. */
export type Moment = 'before' | 'after';

export type Fault =
  | { kind: 'kill'; role: ServerRole }
  | { kind: 'kill-at-commit'; transaction: TransactionKind; moment: Moment }
  | { kind: 'stop'; role: ServerRole; ms: number }
  | { kind: 'block'; role: ServerRole; ms: number }
  | { kind: 'terminate'; role: ServerRole }
  | { kind: 'database-restart'; how: 'fast' | 'immediate' }
  | { kind: 'reset-at-commit'; transaction: TransactionKind; moment: Moment }
  | { kind: 'reset-connections'; role: ServerRole }
  | { kind: 'drop-packets'; role: ServerRole; ms: number }
  | { kind: 'delay-packets'; role: ServerRole; ms: number }
  | { kind: 'store'; mood: StoreMood; ms: number }
  | { kind: 'provider'; mood: ProviderMood; ms: number }
  | { kind: 'receiver'; mood: ReceiverMood; ms: number };

export type ServerRole = 'api' | 'worker';
export type StoreMood = 'failing' | 'slow' | 'failing-after-write';
export type ProviderMood = 'slow' | 'silent' | 'refusing' | 'lying' | 'closing';
export type ReceiverMood = 'down' | 'refusing' | 'slow';

export interface PlannedFault {
  atMs: number;
  fault: Fault;
}

type Maker = (random: Random) => Fault;

const roleOf = (random: Random): ServerRole => random.pick(['api', 'worker']);
const momentOf = (random: Random): Moment => random.pick(['before', 'after']);
const transactionOf = (random: Random): TransactionKind => random.pick(transactionKinds);

// Stopped and blocked workers outlive their lease of 20 s: those are the zombies whose finish must be refused.
const zombieMs = 23_000;

/** How often each fault comes, in parts of the whole. */
const common: [parts: number, make: Maker][] = [
  [20, (random) => ({ kind: 'kill', role: roleOf(random) })],
  [
    14,
    (random) => ({ kind: 'kill-at-commit', transaction: transactionOf(random), moment: momentOf(random) }),
  ],
  [3, (random) => ({ kind: 'terminate', role: roleOf(random) })],
  [4, (random) => ({ kind: 'stop', role: roleOf(random), ms: random.between(500, 6_000) })],
  [
    5,
    (random) => ({
      kind: 'store',
      mood: random.pick(['failing', 'slow', 'failing-after-write']),
      ms: random.between(500, 3_000),
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
    3,
    (random) => ({
      kind: 'receiver',
      mood: random.pick(['down', 'refusing', 'slow']),
      ms: random.between(500, 5_000),
    }),
  ],
];

const zombies: [parts: number, make: Maker][] = [
  [2, () => ({ kind: 'stop', role: 'worker', ms: zombieMs })],
  [1, () => ({ kind: 'block', role: 'worker', ms: zombieMs })],
];

const onPostgres: [parts: number, make: Maker][] = [
  [8, (random) => ({ kind: 'database-restart', how: random.pick(['fast', 'immediate']) })],
  [
    16,
    (random) => ({ kind: 'reset-at-commit', transaction: transactionOf(random), moment: momentOf(random) }),
  ],
  [8, (random) => ({ kind: 'reset-connections', role: roleOf(random) })],
  [3, (random) => ({ kind: 'drop-packets', role: roleOf(random), ms: random.between(1_000, 20_000) })],
  [3, (random) => ({ kind: 'delay-packets', role: roleOf(random), ms: random.between(1_000, 4_000) })],
];

// One process holds the file, so what matters there is that it dies at the worst moments.
const onSqlite: [parts: number, make: Maker][] = [
  [
    30,
    (random) => ({ kind: 'kill-at-commit', transaction: transactionOf(random), moment: momentOf(random) }),
  ],
  [30, () => ({ kind: 'kill', role: 'worker' })],
];

export interface PlanOptions {
  database: 'sqlite' | 'postgres';
  count: number;
  minutes: number;
  withZombies: boolean;
  /** Nothing but this kind of fault. */
  only?: Fault['kind'];
}

/** The whole schedule: `count` faults, spread over `minutes` with uneven gaps. */
export function planFaults(
  random: Random,
  { database, count, minutes, withZombies, only }: PlanOptions,
): PlannedFault[] {
  const makers = [
    ...common,
    ...(withZombies ? zombies : []),
    ...(database === 'postgres' ? onPostgres : onSqlite),
  ];
  const spacing = (minutes * 60_000) / (count + 1);
  return Array.from({ length: count }, (_, index) => ({
    atMs: Math.round((index + 0.5 + random.next()) * spacing),
    fault: drawOne(makers, random, only),
  }));
}

// More than any kind that exists needs to come up.
const maxDraws = 10_000;

function drawOne(
  makers: readonly [parts: number, make: Maker][],
  random: Random,
  only?: Fault['kind'],
): Fault {
  const total = makers.reduce((sum, [parts]) => sum + parts, 0);
  for (let draw = 0; draw < maxDraws; draw++) {
    let left = random.between(1, total);
    const make = makers.find(([parts]) => {
      left -= parts;
      return left <= 0;
    })?.[1];
    const fault = make?.(random);
    if (fault && (only === undefined || fault.kind === only)) return fault;
  }
  throw new TypeError(`there is no fault of the kind "${only}" for this database`);
}
