import { intervalOf, paceFreeAt } from '../../routes/pace.ts';
import { type MostRunning, servesFirst } from '../decide-claims.ts';
import { type Arrivals, expectArrivals } from './arrivals.ts';
import { Heap } from './heap.ts';
import type { JobTimes } from './job-times.ts';
import { Moving } from './moving-line.ts';
import { type Line, lengthOf, type QueueState } from './queue-state.ts';

export interface Start {
  /** Milliseconds from now. */
  inMs: number;
  /** The number of currently waiting jobs of the same model that start earlier. */
  ahead: number;
  route: string;
}

export interface Simulated {
  /** The simulated starts of an account's waiting jobs, in order, up to the end of the simulation. */
  startsOf(line: Line): readonly Start[];
  /** The length of the simulated time. `startedOf` counts a model's waiting jobs that start within it. */
  endMs: number;
  startedOf(model: string): number;
  /** The mean number of a model's waiting jobs that start per millisecond, in the second half of the simulation. */
  perMsOf(model: string): number;
}

/** Simulates until `most` jobs, all jobs of the queue `only`, or all waiting jobs have started. Pure. */
export function simulateStarts(
  state: QueueState,
  times: ReadonlyMap<string, JobTimes>,
  most: number,
  only?: Line,
): Simulated {
  const simulation = new Simulation(state, times);
  simulation.run(most / 2, only);
  const half = { atMs: simulation.nowMs, started: new Map(simulation.started) };
  simulation.run(most, only);
  const { nowMs: endMs, started, starts } = simulation;
  return {
    startsOf: (line) => starts.get(line) ?? [],
    endMs,
    startedOf: (model) => started.get(model) ?? 0,
    perMsOf(model) {
      const begun = (started.get(model) ?? 0) - (half.started.get(model) ?? 0);
      // Assumes at least one start, because other queues may block this model for the whole time, but not for ever.
      return endMs > half.atMs ? Math.max(1, begun) / (endMs - half.atMs) : 0;
    },
  };
}

/** Times are milliseconds from now. */
interface SimulatedRoute {
  id: string;
  model: string;
  perMinute: number | undefined;
  free: number;
  restsUntil: number;
  busyUntil: number;
}

interface End {
  at: number;
  accountId: string;
  model: string;
  route: SimulatedRoute | undefined;
}

interface Head {
  moving: Moving;
  id: string;
  running: number;
  begun: number;
}

class Simulation {
  nowMs = 0;
  readonly starts = new Map<Line, Start[]>();
  readonly started = new Map<string, number>();
  readonly #epochMs: number;
  readonly #times: ReadonlyMap<string, JobTimes>;
  readonly #mostRunning: MostRunning;
  readonly #routes: Map<string, SimulatedRoute[]>;
  readonly #heads = new Map<string, Heap<Head>>();
  readonly #lines = new Map<string, Moving[]>();
  /** The number of running jobs by account, and by account and model. */
  readonly #running = new Map<string, number>();
  readonly #ends = new Heap<End>((one, other) => one.at < other.at);
  readonly #comings = new Heap<{ at: number; of: Arrivals }>((one, other) => one.at < other.at);
  #freeWorkers: number;
  #left = 0;
  #begun = 0;
  #turns = 0;

  constructor(state: QueueState, times: ReadonlyMap<string, JobTimes>) {
    this.#epochMs = state.nowMs;
    this.#times = times;
    this.#mostRunning = state.mostRunning;
    this.#freeWorkers = state.workerSlots;
    this.#routes = Map.groupBy(
      state.routes.map((route) => simulatedRouteOf(route, state)),
      ({ model }) => model,
    );
    this.#resume(state);
    for (const line of state.lines) {
      if (state.paused.get(line.model) === null) continue;
      this.#movingOf(line).add(line);
      this.starts.set(line, []);
      this.#left += lengthOf(line);
    }
    for (const own of this.#lines.values()) for (const moving of own) this.#show(moving);
    for (const of of expectArrivals(state))
      if (this.#routes.has(of.model)) this.#comings.push({ at: of.firstMs, of });
  }

  run(most: number, only?: Line): void {
    while (this.#left > 0 && this.#begun < most && this.#turns < 4 * most) {
      if (only && this.starts.get(only)?.length === lengthOf(only)) return;
      if (!this.#beginNext() && !this.#advance()) return;
      this.#turns += 1;
    }
  }

  /** Schedules the ends of running jobs by the times of similar jobs. */
  #resume({ running, nowMs, routes }: QueueState): void {
    const simulated = new Map([...this.#routes.values()].flat().map((route) => [route.id, route]));
    for (const { accountId, route: routeId, model, startedAt } of running) {
      const route = simulated.get(routeId ?? '');
      const like = this.#times.get(route?.id ?? routes.find((one) => one.model === model)?.id ?? '');
      if (route) route.free -= 1;
      this.#freeWorkers -= 1;
      this.#count(accountId, model, 1);
      this.#ends.push({ at: like?.leftAfter(nowMs - startedAt) ?? 0, accountId, model, route });
    }
  }

  #movingOf({ accountId, model }: Pick<Line, 'accountId' | 'model'>): Moving {
    const own = this.#lines.get(accountId) ?? [];
    this.#lines.set(accountId, own);
    const known = own.find((one) => one.model === model);
    if (known) return known;
    const added = new Moving(accountId, model);
    own.push(added);
    return added;
  }

  /** Adds the head of an account's queue to its model's heap. Any earlier entry there becomes outdated. */
  #show(moving: Moving): void {
    const { accountId, model, begun } = moving;
    const id = moving.oldestId(this.#epochMs);
    if (id === undefined || this.#isFull(accountId)) return; // added again when one of the account's jobs ends
    const heads = this.#heads.get(model) ?? new Heap<Head>(servesFirst);
    this.#heads.set(model, heads);
    heads.push({ moving, id, begun, running: this.#runningOf(moving) });
  }

  #headOf(model: string): Head | undefined {
    const heads = this.#heads.get(model);
    for (;;) {
      const head = heads?.first;
      if (!head) return undefined;
      const { moving, running, begun } = head;
      const isCurrent = running === this.#runningOf(moving) && begun === moving.begun;
      if (isCurrent && !this.#isFull(moving.accountId)) return head;
      heads?.take();
    }
  }

  /** Returns false if no job can start now. */
  #beginNext(): boolean {
    if (this.#freeWorkers <= 0) return false;
    let best: { head: Head; route: SimulatedRoute } | undefined;
    for (const [model, simulated] of this.#routes) {
      const head = this.#headOf(model);
      const route = head && simulated.find((one) => one.free > 0 && freeAt(one) <= this.nowMs);
      if (head && route && (!best || servesFirst(head, best.head))) best = { head, route };
    }
    if (best) this.#begin(best.head.moving, best.route);
    return best !== undefined;
  }

  #begin(moving: Moving, route: SimulatedRoute): void {
    const { accountId, model } = moving;
    const line = moving.begin(this.#epochMs);
    if (line) {
      const ahead = this.started.get(model) ?? 0;
      this.starts.get(line)?.push({ inMs: this.nowMs, ahead, route: route.id });
      this.started.set(model, ahead + 1);
      this.#left -= 1;
    }
    this.#begun += 1;
    route.free -= 1;
    if (route.perMinute !== undefined)
      route.busyUntil = Math.max(this.nowMs, route.busyUntil) + intervalOf(route.perMinute);
    this.#freeWorkers -= 1;
    this.#ends.push({ at: this.nowMs + (this.#times.get(route.id)?.mean ?? 0), accountId, model, route });
    this.#count(accountId, model, 1);
  }

  #count(accountId: string, model: string, change: number): void {
    for (const name of [accountId, `${accountId} ${model}`])
      this.#running.set(name, (this.#running.get(name) ?? 0) + change);
    // The queues of the account's other models change only if the account has a limit over all models.
    const isLimited = this.#mostRunning('account', accountId) !== undefined;
    for (const moving of this.#lines.get(accountId) ?? [])
      if (isLimited || moving.model === model) this.#show(moving);
  }

  #runningOf({ accountId, model }: Pick<Moving, 'accountId' | 'model'>): number {
    return this.#running.get(`${accountId} ${model}`) ?? 0;
  }

  #isFull(accountId: string): boolean {
    return (this.#running.get(accountId) ?? 0) >= (this.#mostRunning('account', accountId) ?? Infinity);
  }

  /** Advances the time to the next change. Returns false if there is none. */
  #advance(): boolean {
    const free = [...this.#routes].flatMap(([model, simulated]) =>
      this.#freeWorkers > 0 && this.#headOf(model)
        ? simulated.flatMap((route) => (route.free > 0 ? freeAt(route) : []))
        : [],
    );
    const [end, coming] = [this.#ends.first, this.#comings.first];
    const next = Math.min(
      ...free,
      end?.at ?? Number.POSITIVE_INFINITY,
      coming?.at ?? Number.POSITIVE_INFINITY,
    );
    if (next === Number.POSITIVE_INFINITY) return false;
    this.nowMs = Math.max(this.nowMs, next);
    if (end?.at === next) this.#end();
    else if (coming?.at === next) this.#come();
    return true;
  }

  #end(): void {
    const ended = this.#ends.take();
    if (!ended) return;
    if (ended.route) ended.route.free += 1;
    this.#freeWorkers += 1;
    this.#count(ended.accountId, ended.model, -1);
  }

  #come(): void {
    const came = this.#comings.take();
    if (!came) return;
    const { accountId, model, everyMs } = came.of;
    const moving = this.#movingOf({ accountId, model });
    moving.later.push(came.at);
    this.#show(moving);
    this.#comings.push({ at: came.at + everyMs, of: came.of });
  }
}

function simulatedRouteOf(
  { id, model, slots, perMinute }: QueueState['routes'][number],
  { nowMs, resting, paces, paused }: QueueState,
): SimulatedRoute {
  const until = Math.max(resting.get(id) ?? 0, paused.get(model) ?? 0);
  return {
    id,
    model,
    perMinute,
    free: slots,
    restsUntil: Math.max(0, until - nowMs),
    busyUntil: Math.max(0, (paces.get(id) ?? 0) - nowMs),
  };
}

function freeAt({ restsUntil, perMinute, busyUntil }: SimulatedRoute): number {
  return perMinute === undefined ? restsUntil : Math.max(restsUntil, paceFreeAt(perMinute, busyUntil));
}
