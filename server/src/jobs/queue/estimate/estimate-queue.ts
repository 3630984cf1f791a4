import { firstIdAt } from '../../../base/std/ids.ts';
import type { Eta, QueueView } from '../../queue-view.ts';
import { paceFreeAt } from '../../routes/pace.ts';
import { type JobTimes, timesByRoute } from './job-times.ts';
import { countBefore, isOfBatch, type Line, lengthOf, type QueueState } from './queue-state.ts';
import { type Simulated, type Start, simulateStarts } from './simulate-starts.ts';

export interface QueueEstimate {
  /** Estimates the place and the times of a waiting job or, if `id` is null, of a job created now. */
  of(job: EstimatedJob): QueueView;
}

export interface EstimatedJob {
  id: string | null;
  accountId: string;
  keyId: string;
  model: string;
  /** When a job's retry is due; null if it waits for none. */
  retryAt: number | null;
}

// The maximum number of starts to simulate one by one. Later starts are extrapolated.
const mostSteps = 5_000;
// The share by which the wait may be longer, because more jobs arrive and upstreams slow down.
const slack = 0.5;

export function estimateQueue(now: QueueState): QueueEstimate {
  // Without workers, no job starts. One slot is simulated anyway, to find the jobs' order.
  const state = { ...now, workerSlots: Math.max(1, now.workerSlots) };
  const times = timesByRoute(state.recent, state.routes);
  const simulated = simulateStarts(state, times, mostSteps);
  const lines = new Map(state.lines.map((line) => [nameOf(line), line]));
  const lineOf = (job: EstimatedJob) => lines.get(nameOf({ ...job, ofBatches: isOfBatch(state, job) }));
  const linesOf = Map.groupBy(state.lines, ({ model }) => model);
  const backs = new Map<string, Back>();
  const newcomers = new Map<string, Start | undefined>();

  const startInLine = (line: Line, rank: number): Start | undefined => {
    const starts = simulated.startsOf(line);
    const known = starts[rank];
    if (known) return known;
    const back = backs.get(line.model) ?? backOf(simulated, linesOf.get(line.model) ?? []);
    backs.set(line.model, back);
    return back(rank - starts.length, starts.at(-1)?.route ?? firstRoute(state, line.model));
  };
  const startAlone = (job: EstimatedJob): Start | undefined => {
    const name = nameOf(job);
    if (!newcomers.has(name)) newcomers.set(name, beginOf(job, state, times));
    return newcomers.get(name);
  };

  return {
    of(job) {
      const line = lineOf(job);
      if (!line) return viewOf(job, startAlone(job), 0, { state: now, times });
      const length = lengthOf(line);
      const rank = job.id === null ? length : countBefore(line, job.id);
      const start = startInLine(line, Math.min(rank, length - 1));
      const after = rank - Math.min(rank, length - 1); // how far the job is behind the known end of its line
      return viewOf(job, start && { ...start, ahead: start.ahead + after }, rank, { state: now, times });
    },
  };
}

function nameOf({ accountId, model, ofBatches = false }: Omit<Line, 'marks'>): string {
  return `${accountId} ${model} ${ofBatches}`;
}

function firstRoute({ routes }: QueueState, model: string): string {
  return routes.find((route) => route.model === model)?.id ?? '';
}

/** The start of a job if its account has no other waiting jobs. */
function beginOf(
  { accountId, model, id }: EstimatedJob,
  state: QueueState,
  times: ReadonlyMap<string, JobTimes>,
): Start | undefined {
  const line: Line = { accountId, model, marks: [{ rank: 1, id: id ?? firstIdAt(state.nowMs) }] };
  const lines = [...state.lines, line];
  return simulateStarts({ ...state, lines }, times, mostSteps, line).startsOf(line)[0];
}

/** Extrapolates a start that was not simulated. `before` counts such starts ahead of it in its account's queue. */
type Back = (before: number, route: string) => Start | undefined;

/** Continues at the end of the simulation. Accounts' queues share their model's starts equally until they are empty. */
function backOf(simulated: Simulated, lines: readonly Line[]): Back {
  const lefts = lines.map((line) => lengthOf(line) - simulated.startsOf(line).length).sort((a, b) => a - b);
  const sums = [0];
  for (const left of lefts) sums.push((sums.at(-1) ?? 0) + left);
  const [line] = lines;
  const model = line?.model ?? '';
  const perMs = simulated.perMsOf(model);
  return (before, route) => {
    if (perMs <= 0) return undefined;
    const empty = countBelow(lefts, before);
    const begun = (sums[empty] ?? 0) + before * (lefts.length - empty);
    return {
      inMs: simulated.endMs + begun / perMs,
      ahead: simulated.startedOf(model) + begun,
      route,
    };
  };
}

function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Known = { state: QueueState; times: ReadonlyMap<string, JobTimes> };

function viewOf(job: EstimatedJob, start: Start | undefined, rank: number, known: Known): QueueView {
  const ahead = start?.ahead ?? rank;
  const eta = start && known.state.workerSlots > 0 ? etaOf(start, job, known) : null;
  return { ahead, eta, ...reasonOf(job, ahead, known.state) };
}

function etaOf({ inMs, route }: Start, { retryAt }: EstimatedJob, { state, times }: Known): Eta {
  const own = times.get(route);
  const [median, p95] = [own?.median ?? 0, own?.p95 ?? 0];
  const waitMs = Math.max(inMs, (retryAt ?? 0) - state.nowMs);
  return { p50Ms: waitMs + median, p95Ms: waitMs * (1 + slack) + p95 };
}

export function reasonOf(
  { accountId, keyId, model, retryAt }: EstimatedJob,
  ahead: number,
  { nowMs, routes, running, mostRunning, workerSlots, resting, paces, paused }: QueueState,
): Pick<QueueView, 'reason' | 'until'> {
  if (retryAt !== null && retryAt > nowMs) return { reason: 'retry', until: retryAt };
  const pausedUntil = paused.get(model);
  if (pausedUntil !== undefined && retryAt === null) return { reason: 'paused', until: pausedUntil };
  const ofAccount = running.filter((one) => one.accountId === accountId);
  const ofKey = ofAccount.filter((one) => one.keyId === keyId);
  if (
    ofAccount.length >= (mostRunning('account', accountId) ?? Infinity) ||
    ofKey.length >= (mostRunning('key', keyId) ?? Infinity)
  )
    return { reason: 'account_limit', until: null };
  const own = routes.filter((route) => route.model === model);
  const awake = own.filter(({ id }) => (resting.get(id) ?? 0) <= nowMs);
  if (own.length > 0 && awake.length === 0)
    return { reason: 'route_resting', until: Math.min(...own.map(({ id }) => resting.get(id) ?? 0)) };
  const taken = (id: string) => running.filter(({ route }) => route === id).length;
  const free = running.length < workerSlots ? awake.filter(({ id, slots }) => taken(id) < slots) : [];
  const paceUntil = free.map(({ id, perMinute }) =>
    perMinute === undefined ? 0 : paceFreeAt(perMinute, paces.get(id) ?? 0),
  );
  if (free.length > 0 && Math.min(...paceUntil) > nowMs)
    return { reason: 'paced', until: Math.min(...paceUntil) };
  return { reason: free.length > 0 || ahead > 0 ? 'turn' : 'route_full', until: null };
}
