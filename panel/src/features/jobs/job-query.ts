import type { JobQuery } from '@darkroom/server/panel-contract';

type Search = Record<string, string | undefined>;

/** Every filter of the address, cleared. */
export const noFilters: Search = {
  q: '',
  status: '',
  model: '',
  key: '',
  ratio: '',
  tag: '',
  starred: '',
  from: '',
  to: '',
};

/** The filters of the address as the server takes them. Days are those of this place; `to` includes its day. */
export function jobQueryOf({ q = '', status, model, key, ratio, tag, starred, from, to }: Search): JobQuery {
  const filters: Search = {
    status,
    model,
    key_id: key,
    aspect_ratio: ratio,
    tag,
    starred: starred && 'true',
    since: from && dayStart(from, 0),
    until: to && dayStart(to, 1),
    ...(isId(q) ? { search: q } : { q }),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value)) as JobQuery; // the server validates the values
}

/** A job id or the beginning of one; a word of four such letters could be one, so it takes a digit. */
function isId(text: string): boolean {
  return /^[0-9a-f-]{4,36}$/i.test(text) && /\d/.test(text);
}

function dayStart(day: string, later: number): string | undefined {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date + later);
  return Number.isFinite(start.getTime()) ? start.toISOString() : undefined;
}
