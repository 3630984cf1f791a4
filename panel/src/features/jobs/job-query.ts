import type { JobQuery } from '@darkroom/server/panel-contract';
import { t } from '../../languages/words.ts';

type Search = Record<string, string | undefined>;

export const noFilters: Search = {
  q: '',
  status: '',
  model: '',
  key: '',
  ratio: '',
  resolution: '',
  colour: '',
  tag: '',
  batch: '',
  starred: '',
  similar: '',
  duplicates: '',
  from: '',
  to: '',
};

/** The URL's filters in the server's form. `from` and `to` are local days, both included, or exact times. */
export function jobQueryOf(search: Search): JobQuery {
  const { q = '', status, model, key, ratio, resolution, colour, tag, batch, starred, from, to } = search;
  const { similar, duplicates } = search;
  const filters: Search = {
    status,
    model,
    key_id: key,
    aspect_ratio: ratio,
    resolution,
    colour,
    tag,
    batch_id: batch,
    starred: starred && 'true',
    similar_to: similar,
    duplicates: duplicates && 'true',
    from: from && instantOf(from, 0),
    to: to && instantOf(to, 1),
    ...(isId(q) ? { id: q } : { q }),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value)) as JobQuery; // the server validates the values
}

export function usualPeriods(now = new Date()): { name: string; from: string }[] {
  const [year, month, date] = [now.getFullYear(), now.getMonth(), now.getDate()];
  return [
    { name: t('7 days'), from: dayText(new Date(year, month, date - 6)) },
    { name: t('This month'), from: dayText(new Date(year, month, 1)) },
  ];
}

/** Counts the filters other than the search text and the periods that have buttons. */
export function countFilters(search: Search): number {
  const isUsual = usualPeriods().some(({ from }) => isPeriod(search, from));
  return Object.keys(noFilters).filter(
    (name) => search[name] && name !== 'q' && !(name === 'from' && isUsual),
  ).length;
}

export function isPeriod(search: Search, from: string): boolean {
  return search.from === from && !search.to;
}

/** Whether a text is a job id or begins one. It needs a digit, because four hexadecimal letters may be a word. */
function isId(text: string): boolean {
  return /^[0-9a-f-]{4,36}$/i.test(text) && /\d/.test(text);
}

/** Returns the day that a date field shows. A time in `to` is the end of the last day, when the next begins. */
export function dayOf(text: string | undefined, end: 'from' | 'to'): string {
  if (!text?.includes('T')) return text ?? '';
  const at = new Date(Date.parse(text) - (end === 'to' ? 1 : 0));
  return dayText(at);
}

function dayText(at: Date): string {
  const parts = [at.getFullYear(), at.getMonth() + 1, at.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

function instantOf(day: string, later: number): string | undefined {
  if (day.includes('T')) return day;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date + later);
  return Number.isFinite(start.getTime()) ? start.toISOString() : undefined;
}
