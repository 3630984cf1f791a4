import type { Database } from '../db/database.ts';
import { toIso } from '../std/iso-time.ts';
import { readHealth } from './health-store.ts';
import { countRunning } from './metrics-store.ts';
import { type RouteSettings, upstreamOf } from './open-route.ts';
import type { RouteState } from './route-health.ts';
import { readRouteStats } from './route-stats-store.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** A route as operators see it. */
export interface RouteReport {
  route: string;
  model: string;
  provider: string;
  upstream_model: string | null;
  slots: number;
  running: number;
  /** `mending`: the next job finds out whether it works again. */
  state: 'well' | 'mending' | RouteState;
  /** ISO 8601: no job before that. */
  until: string | null;
  /** A failure kind. */
  reason: string | null;
  detail: string | null;
  /** Of the last 24 hours, by the route of a job's last attempt. */
  done: number;
  failed: number;
  p50_seconds: number | null;
  last_error: string | null;
}

/** How every configured route is doing, for all workers together. */
export async function reportRoutes(
  database: Database,
  routes: readonly RouteSettings[],
): Promise<RouteReport[]> {
  const { nowMs: now, health } = await readHealth(database.read);
  const running = await countRunning(database.read);
  const stats = await readRouteStats(database.read, now - dayMs);
  return routes.map((route): RouteReport => {
    const ill = health.get(route.id);
    const own = stats.get(route.id);
    return {
      route: route.id,
      model: route.model,
      provider: route.provider,
      upstream_model: upstreamOf(route),
      slots: route.slots,
      running: running.get(route.id) ?? 0,
      state: ill === undefined ? 'well' : ill.until > now ? ill.state : 'mending',
      until: ill && ill.until > now ? toIso(ill.until) : null,
      reason: ill?.reason ?? null,
      detail: ill?.detail ?? null,
      done: own?.done ?? 0,
      failed: own?.failed ?? 0,
      p50_seconds: own === undefined || own.medianMs === null ? null : own.medianMs / 1000,
      last_error: own?.lastError ?? null,
    };
  });
}
