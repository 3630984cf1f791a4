import type { Route } from './route.ts';

const minuteMs = 60_000;

type Paced = Pick<Route, 'id' | 'perMinute'>;
interface Paces {
  paces: ReadonlyMap<string, number>;
  nowMs: number;
}

/**
 * The number of attempts that a route may begin now. One second's worth may begin together, so that claims use a high
 * rate fully.
 */
export function paceLeft({ id, perMinute }: Paced, { paces, nowMs }: Paces): number {
  if (perMinute === undefined) return Number.POSITIVE_INFINITY;
  const intervalMs = intervalOf(perMinute);
  const busyUntil = Math.max(nowMs, paces.get(id) ?? 0);
  return Math.max(0, Math.floor((nowMs + atOnce(perMinute) * intervalMs - busyUntil) / intervalMs));
}

/** Returns when the rate of each route that these claims use will be free again. */
export function takenPaces(
  routes: readonly Paced[],
  claims: readonly { routeId: string }[],
  { paces, nowMs }: Paces,
): { route: string; busyUntil: number }[] {
  return routes.flatMap(({ id, perMinute }) => {
    const count = claims.filter(({ routeId }) => routeId === id).length;
    if (perMinute === undefined || count === 0) return [];
    const busyUntil = Math.max(nowMs, paces.get(id) ?? 0) + count * intervalOf(perMinute);
    return [{ route: id, busyUntil }];
  });
}

/** When a route may begin its next attempt. Its rate is used up to `busyUntil`. */
export function paceFreeAt(perMinute: number, busyUntil: number): number {
  return busyUntil - (atOnce(perMinute) - 1) * intervalOf(perMinute);
}

function atOnce(perMinute: number): number {
  return Math.ceil(perMinute / 60);
}

/** Rounds up to whole milliseconds, so that attempts that start together stay within the rate. */
export function intervalOf(perMinute: number): number {
  return Math.ceil(minuteMs / (perMinute - atOnce(perMinute) + 1));
}
