import { t } from '../../languages/words.ts';
import type { SlotName } from './slots.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export const periods = [
  { value: 'today', label: t('Today') },
  { value: '7d', label: t('7 days') },
  { value: '30d', label: t('30 days') },
  { value: 'month', label: t('This month') },
] as const;
export type Period = (typeof periods)[number]['value'] | 'other';

/** Returns the first and the last day, in UTC, of the period that the URL names, or else the URL's own dates. */
export function daysOf(search: Record<string, string | undefined>): {
  period: Period;
  from: string;
  to: string;
} {
  const now = Date.now();
  const to = dayOf(now);
  const period = periods.find(({ value }) => value === search.period)?.value;
  if (period === 'today') return { period, from: to, to };
  if (period === '7d') return { period, from: dayOf(now - 6 * dayMs), to };
  if (period === 'month') return { period, from: `${to.slice(0, 8)}01`, to };
  const month = { from: dayOf(now - 29 * dayMs), to };
  if (period === undefined && (search.from || search.to))
    return { period: 'other', from: search.from || month.from, to: search.to || to };
  return { period: '30d', ...month };
}

export function timesOf(at: string, slot: SlotName): { from: string; to: string } {
  const ends = Date.parse(at) + (slot === 'hour' ? hourMs : dayMs);
  return { from: new Date(at).toISOString(), to: new Date(ends).toISOString() };
}

export function lastWeek(): { from: string; to: string } {
  const { from, to } = daysOf({ period: '7d' });
  return { from, to };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
