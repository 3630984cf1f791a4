import type { JobQuery } from '@darkroom/server/panel-contract';

type Search = Record<string, string | undefined>;

/** Every filter of the address, cleared. */
export const noFilters: Search = { q: '', status: '', model: '', key: '', from: '', to: '' };

/** The filters of the address as the server takes them. Days are those of this place; `to` includes its day. */
export function jobQueryOf({ q = '', status, model, key, from, to }: Search): JobQuery {
  const filters = {
    status,
    model,
    key_id: key,
    since: from && dayStart(from, 0),
    until: to && dayStart(to, 1),
    search: q,
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value)) as JobQuery; // the server validates the values
}

function dayStart(day: string, later: number): string | undefined {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date + later);
  return Number.isFinite(start.getTime()) ? start.toISOString() : undefined;
}
