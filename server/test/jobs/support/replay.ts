import { newId } from '../../../src/base/std/ids.ts';
import { type Candidate, decideClaims } from '../../../src/jobs/queue/decide-claims.ts';
import { estimateQueue } from '../../../src/jobs/queue/estimate/estimate-queue.ts';
import { Heap } from '../../../src/jobs/queue/estimate/heap.ts';
import type {
  Line,
  QueueState,
  RecentJob,
  RunningOne,
} from '../../../src/jobs/queue/estimate/queue-state.ts';

/** A job's first estimate and its actual end, both in milliseconds from the time of the estimate. */
export interface Said {
  p50Ms: number;
  p95Ms: number;
  truthMs: number;
}

interface Replayed {
  id: string;
  accountId: string;
  model: string;
  createdAt: number;
  takesMs: number;
}

interface RunningJob extends RunningOne {
  endsAt: number;
  job: Replayed;
}

const secondMs = 1_000;
const startMs = 1_700_000_000_000;
const routes = [
  { id: 'nb2/one', model: 'nb2', slots: 6, medianMs: 11_000, spread: 0.12 },
  { id: 'pro/one', model: 'pro', slots: 4, medianMs: 24_000, spread: 0.15 },
] as const;
const accounts = Array.from({ length: 16 }, (_, index) => `account-${index}`);
// The number of recent jobs that the server reads.
const mostRecent = 1_000;
// Only this many of the queue's first jobs can be claimed at one moment.
const mostHeads = 10;

/**
 * Simulates a day's traffic through the real claim decision: sixteen accounts with more jobs at noon than the
 * routes can make, occasional bursts, and upstreams that are slower at some hours. At intervals, estimates the
 * waiting jobs of the last second, because estimating all jobs would take an hour.
 */
export function replay({
  hours,
  seed,
  askEveryMs,
}: {
  hours: number;
  seed: number;
  askEveryMs: number;
}): Said[] {
  const random = randomFrom(seed);
  const coming = arrivalsOf(hours, random);
  const waiting = new Map<string, Replayed[]>();
  const running = new Heap<RunningJob>((one, other) => one.endsAt < other.endsAt);
  let runs: RunningJob[] = [];
  let recent: RecentJob[] = [];
  const asked = new Map<string, Omit<Said, 'truthMs'> & { at: number }>();
  const said: Said[] = [];

  const claim = (now: number) => {
    const slots = routes.map(({ id, slots }) => ({
      routeId: id,
      free: slots - runs.filter(({ route }) => route === id).length,
    }));
    if (slots.every(({ free }) => free === 0)) return;
    const counts = runs.map(({ accountId, keyId, model }) => ({ accountId, keyId, model, count: 1 }));
    const candidates = [...waiting.values()].flatMap((line): Candidate[] =>
      line.slice(0, mostHeads).map(({ id, accountId, model }) => ({
        ...{ id, accountId, keyId: accountId, model },
        routes: [`${model}/one`],
      })),
    );
    for (const { jobId, routeId } of decideClaims(candidates, counts, slots, mostHeads)) {
      for (const line of waiting.values()) {
        const index = line.findIndex(({ id }) => id === jobId);
        if (index < 0) continue;
        const [job] = line.splice(index, 1);
        if (!job) continue;
        const { accountId, model } = job;
        const run = {
          accountId,
          keyId: accountId,
          model,
          route: routeId,
          createdAt: job.createdAt,
          startedAt: now,
          endsAt: now + job.takesMs,
          job,
        };
        running.push(run);
        runs.push(run);
      }
    }
  };

  const end = (run: RunningJob) => {
    runs = runs.filter((one) => one !== run);
    const { accountId, model, route, startedAt, endsAt: finishedAt, job } = run;
    const { createdAt } = job;
    recent = [
      { accountId, model, route, createdAt, startedAt, finishedAt },
      ...recent.slice(0, mostRecent - 1),
    ];
    const one = asked.get(job.id);
    if (one) said.push({ p50Ms: one.p50Ms, p95Ms: one.p95Ms, truthMs: finishedAt - one.at });
  };

  let next = 0;
  for (let now = startMs; next < coming.length || running.first; now += secondMs) {
    const fresh: Replayed[] = [];
    for (;;) {
      const arrival = coming[next];
      const first = running.first;
      const at = Math.min(
        arrival?.createdAt ?? Number.POSITIVE_INFINITY,
        first?.endsAt ?? Number.POSITIVE_INFINITY,
      );
      if (at > now) break;
      if (first && first.endsAt === at) {
        running.take();
        end(first);
      } else if (arrival) {
        next += 1;
        fresh.push(arrival);
        const name = `${arrival.accountId} ${arrival.model}`;
        const line = waiting.get(name);
        if (line) line.push(arrival);
        else waiting.set(name, [arrival]);
      }
      claim(at);
    }
    const still = fresh.filter((job) => waiting.get(`${job.accountId} ${job.model}`)?.includes(job));
    if (still.length === 0 || (now - startMs) % askEveryMs !== 0) continue;
    const estimate = estimateQueue(stateOf(now, { waiting, runs, recent }));
    for (const job of still) {
      const { eta } = estimate.of({ ...job, keyId: job.accountId, retryAt: null });
      if (!eta) throw new Error('nobody can say when the job ends');
      asked.set(job.id, { ...eta, at: now });
    }
  }
  return said;
}

/** The shares of jobs whose p50 was within a fifth of the actual time, and that ended before their p95. */
export function judge(said: readonly Said[]): { near: number; before: number } {
  const share = (isSo: (one: Said) => boolean) => said.filter(isSo).length / said.length;
  return {
    near: share(({ p50Ms, truthMs }) => Math.abs(p50Ms - truthMs) <= 0.2 * truthMs),
    before: share(({ p95Ms, truthMs }) => truthMs <= p95Ms),
  };
}

function stateOf(
  nowMs: number,
  {
    waiting,
    runs,
    recent,
  }: { waiting: ReadonlyMap<string, Replayed[]>; runs: readonly RunningOne[]; recent: readonly RecentJob[] },
): QueueState {
  const lines = [...waiting.values()].flatMap((line): Line[] => {
    const [first] = line;
    if (!first) return [];
    const { accountId, model } = first;
    return [{ accountId, model, marks: line.map(({ id }, index) => ({ rank: index + 1, id })) }];
  });
  return {
    nowMs,
    routes,
    workerSlots: 100,
    resting: new Map(),
    paces: new Map(),
    paused: new Map(),
    running: runs,
    mostRunning: () => undefined,
    lines,
    recent,
  };
}

/** The load by hour, as a share of the routes' capacity. */
const loads = [
  0.3, 0.3, 0.5, 0.6, 0.8, 0.9, 0.9, 0.95, 1, 1.05, 1, 0.95, 0.9, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.4,
  0.3, 0.3, 0.3,
];
const hourMs = 3_600_000;
const burstsAnHour = 1.5;

function arrivalsOf(hours: number, random: () => number): Replayed[] {
  const jobs: Replayed[] = [];
  const add = (at: number, accountId: string, { model, medianMs, spread }: (typeof routes)[number]) => {
    const slowness = 1 + 0.25 * Math.sin(((at - startMs) / hourMs) * 1.3);
    const takesMs = medianMs * slowness * Math.exp(spread * normal(random));
    jobs.push({ id: newId(at), accountId, model, createdAt: at, takesMs });
  };
  const first = hours >= loads.length ? 0 : 8; // a short replay covers the busy hours
  for (let hour = 0; hour < hours; hour++) {
    const load = loads[(first + hour) % loads.length] ?? 0;
    for (const route of routes) {
      const perMs = (load * route.slots) / route.medianMs;
      for (let at = hour * hourMs; ; ) {
        at += -Math.log(1 - random()) / perMs;
        if (at >= (hour + 1) * hourMs) break;
        add(startMs + at, pickAccount(route, random), route);
      }
    }
    for (let bursts = random() * 2 * burstsAnHour; bursts >= 1; bursts--) {
      const at = startMs + (hour + random()) * hourMs;
      const route = routes[random() < 0.6 ? 0 : 1] ?? routes[0];
      const account = pickAccount(route, random);
      for (let count = 20 + random() * 200; count > 0; count--) add(at + (200 - count), account, route);
    }
  }
  return jobs.sort((one, other) => one.createdAt - other.createdAt);
}

/** Some accounts send much more than others, mostly to one model; every second account prefers the other model. */
function pickAccount({ model }: (typeof routes)[number], random: () => number): string {
  const account = Math.floor((random() ** 2 * accounts.length) / 2) * 2;
  const prefersOther = random() < othersShare ? 1 : 0;
  return accounts[account + ((model === 'nb2' ? 0 : 1) ^ prefersOther)] ?? '';
}
const othersShare = 0.05;

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
