import { AppError } from '../errors.ts';

export const dayMs = 24 * 60 * 60 * 1000;
const defaultDays = 30;

export interface Days {
  /** The first day, such as `2026-11-01`. By default, the range is the last thirty days. */
  from?: string;
  /** The last day, which is included. Default: today. */
  to?: string;
}

/** Reads a range of whole days, each counted since the epoch. @throws AppError `invalid_request` */
export function readDays(
  { from, to }: Days,
  { nowMs, maxDays, inBody = false }: { nowMs: number; maxDays: number; inBody?: boolean },
): { first: number; last: number } {
  const place = inBody ? '/' : '/query/';
  const last = to === undefined ? Math.floor(nowMs / dayMs) : parseDay(`${place}to`, to);
  const first = from === undefined ? last - defaultDays + 1 : parseDay(`${place}from`, from);
  if (first <= last && last - first < maxDays) return { first, last };
  const detail =
    first > last ? 'must not be after the last day.' : `must be at most ${maxDays} days before the last day.`;
  throw new AppError('invalid_request', `The first day ${detail}`, {
    errors: [{ pointer: `${place}from`, detail }],
  });
}

function parseDay(pointer: string, text: string): number {
  const ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isFinite(ms)) return Math.floor(ms / dayMs);
  const detail = 'must be a day such as 2026-11-20.';
  throw new AppError('invalid_request', `${pointer.split('/').at(-1)} ${detail}`, {
    errors: [{ pointer, detail }],
  });
}

export function toDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
