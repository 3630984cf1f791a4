import type { Database } from '../../../../base/db/database.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import { toIso, toIsoOrNull } from '../../../../base/std/iso-time.ts';
import { breathe } from '../../../../base/std/lateness/turns.ts';
import { countOutcomes, type Outcome } from '../../../../jobs/activity/outcome-store.ts';
import { listPauses, pauseOf } from '../../../../jobs/admission/pause-store.ts';
import { type Incident, listIncidents } from '../../../../jobs/incidents/incident-store.ts';
import { readCircuits } from '../../../../jobs/routes/circuit-store.ts';
import type { LiveRoutes } from '../../../../jobs/routes/live-routes.ts';
import { reportedRoutes } from '../../../../jobs/routes/report-routes.ts';
import { type Say, sayIn } from '../../../../notify/emails/say.ts';
import type { Catalogue } from '../../../../upstream/catalog/catalogue.ts';
import type { Model } from '../../../../upstream/catalog/models.ts';
import {
  availabilityOf,
  decidePublicState,
  type Outcomes,
  type PublicState,
  publicStates,
  stateOf,
} from './decide-public-state.ts';

export interface PublicStatusDeps {
  database: Database;
  clock: Clock;
  catalogue: Pick<Catalogue, 'list' | 'find'>;
  routes: LiveRoutes;
}

/** The status of the models for the public. It reveals no upstream. */
export interface PublicStatus {
  state: PublicState;
  updated_at: string;
  models: PublicModel[];
  /** The incidents of the last 90 days and those that are still open, the newest first. */
  incidents: PublicIncident[];
}

export interface PublicModel {
  id: string;
  name: string;
  state: PublicState;
  /** The percentage of jobs that succeeded, without failures caused by requests; null for too few jobs. */
  availability: number | null;
  /** The days up to today, the oldest first. `state` is null on a day with too few jobs. */
  days: { date: string; state: PublicState | null; availability: number | null }[];
}

export interface PublicIncident {
  incident_id: string;
  /** The id of the model; null if the incident affects all models. */
  model: string | null;
  title: string;
  reason: string | null;
  began_at: string;
  /** Null while it lasts. */
  ended_at: string | null;
  /** When the incident will end by itself; null if it will not. */
  until: string | null;
  changed_at: string;
}

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const days = 90;
const maxIncidents = 100;
/** The time for which the status is cached, because visitors may load it any number of times. */
const keptMs = 15_000;
/** The number of days that still get many outcomes. Earlier days get only a few, from jobs that waited long. */
const openDays = 2;
const recountMs = hourMs;

export function createPublicStatus(deps: PublicStatusDeps): () => Promise<PublicStatus> {
  let read: { at: number; status: Promise<PublicStatus> } | undefined;
  const countDays = createCountDays(deps);
  return () => {
    const now = deps.clock.monotonicMs();
    if (read && now - read.at < keptMs) return read.status;
    const status = readPublicStatus(deps, countDays);
    const own = { at: now, status };
    read = own;
    status.catch(() => {
      if (read === own) read = undefined;
    });
    return status;
  };
}

type CountDays = (from: number, today: number) => Promise<Outcome[]>;

/** Recounts hourly, day by day: one query for 90 days with a million rows would block SQLite for two seconds. */
function createCountDays({
  database: { read },
  clock,
}: Pick<PublicStatusDeps, 'database' | 'clock'>): CountDays {
  let kept: Outcome[] = [];
  let keptUntil = 0;
  let countedAtMs = clock.monotonicMs();
  return async (from, today) => {
    if (clock.monotonicMs() - countedAtMs >= recountMs) {
      keptUntil = 0;
      countedAtMs = clock.monotonicMs();
    }
    const begin = Math.max(from, keptUntil);
    const counted: Outcome[] = [];
    for (let day = begin; day <= today; day += 1) {
      counted.push(...(await countOutcomes(read, { slotMs: dayMs, from: day, to: day + 1 })));
      await breathe();
    }
    const all = [...kept.filter(({ slot }) => slot >= from && slot < begin), ...counted];
    keptUntil = today - openDays + 1;
    kept = all.filter(({ slot }) => slot < keptUntil);
    return all;
  };
}

async function readPublicStatus(
  { database: { read }, clock, catalogue, routes }: PublicStatusDeps,
  countDays: CountDays,
): Promise<PublicStatus> {
  const nowMs = clock.nowMs();
  const today = Math.floor(nowMs / dayMs);
  const hour = Math.floor(nowMs / hourMs);
  const first = today - days + 1;
  const [pauses, { circuits, nowMs: dbNowMs }, counted, recent, incidents] = await Promise.all([
    listPauses(read),
    readCircuits(read),
    countDays(first, today),
    countOutcomes(read, { slotMs: hourMs, from: hour - 1, to: hour + 1 }),
    listIncidents(read, { fromMs: first * dayMs, limit: maxIncidents }),
  ]);
  const own = reportedRoutes(routes);
  const models = catalogue.list().map((model): PublicModel => {
    const ofModel = (all: readonly Outcome[]) => all.filter((one) => one.model === model.id);
    const isOpen = ({ id }: { id: string }) => (circuits.get(id)?.until ?? 0) > dbNowMs;
    const serving = own.filter((route) => route.model === model.id);
    const outcomes = ofModel(counted);
    const told = incidents.filter(({ scope }) => scope === 'project' || scope === model.id);
    const state = decidePublicState({
      pause: pauseOf(pauses, model.id),
      open: serving.filter(isOpen).length,
      closed: serving.filter((route) => !isOpen(route)).length,
      recent: sumOf(ofModel(recent)),
      usual: sumOf(outcomes.filter(({ slot }) => slot < today)),
    });
    const all = Array.from({ length: days }, (_, index) => dayOf(first + index, { outcomes, told, nowMs }));
    const now = all.at(-1);
    if (now && state !== 'up') now.state = worst([now.state ?? state, state]);
    return {
      ...{ id: model.id, name: model.name, state, availability: availabilityOf(sumOf(outcomes)), days: all },
    };
  });
  return {
    state: worst(models.map(({ state }) => state)) ?? 'up',
    updated_at: toIso(nowMs),
    models,
    incidents: incidents.map((one) => presentIncident(one, catalogue)),
  };
}

function dayOf(
  slot: number,
  { outcomes, told, nowMs }: { outcomes: readonly Outcome[]; told: readonly Incident[]; nowMs: number },
): PublicModel['days'][number] {
  const sum = sumOf(outcomes.filter((one) => one.slot === slot));
  const isPaused = told.some(
    ({ beganAt, endedAt }) => beganAt < (slot + 1) * dayMs && (endedAt ?? nowMs) >= slot * dayMs,
  );
  const byJobs = stateOf(sum);
  const state = worst([...(byJobs ? [byJobs] : []), ...(isPaused ? (['paused'] as const) : [])]);
  return { date: toIso(slot * dayMs).slice(0, 10), state, availability: availabilityOf(sum) };
}

function worst(states: readonly PublicState[]): PublicState | null {
  return publicStates.findLast((state) => states.includes(state)) ?? null;
}

function sumOf(outcomes: readonly Outcome[]): Outcomes {
  return {
    done: outcomes.reduce((sum, { done }) => sum + done, 0),
    failed: outcomes.reduce((sum, { failed }) => sum + failed, 0),
    isShared: new Set(outcomes.flatMap(({ failedOf }) => failedOf)).size > 1,
    durations: outcomes.flatMap(({ durationClass, done }) =>
      durationClass === null ? [] : [{ durationClass, count: done }],
    ),
  };
}

function presentIncident(
  { id, scope, reason, beganAt, endedAt, until, changedAt }: Incident,
  catalogue: { find(id: string): Model | undefined },
): PublicIncident {
  const model = scope === 'project' ? null : scope;
  const name = model === null ? null : (catalogue.find(model)?.name ?? model);
  const title = sayIncident(sayIn('en'), { name, isOver: endedAt !== null });
  return {
    ...{ incident_id: id, model, title, reason },
    ...{ began_at: toIso(beganAt), ended_at: toIsoOrNull(endedAt), until: toIsoOrNull(until) },
    changed_at: toIso(changedAt),
  };
}

export function sayIncident(say: Say, { name, isOver }: { name: string | null; isOver: boolean }): string {
  if (name === null) return isOver ? say('Everything was paused') : say('Everything is paused');
  return isOver ? say('{name} was paused', { name }) : say('{name} is paused', { name });
}
