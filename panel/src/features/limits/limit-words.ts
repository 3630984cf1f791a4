import type { LimitChanges, LimitRow } from '@darkroom/server/panel-contract';
import { wrongAmount } from '../money/amount.ts';

const counted: Record<LimitRow['unit'], string> = {
  money: 'Spend',
  jobs: 'Open jobs',
  requests: 'Requests',
};

/** `Spend per day`, `Spend in all`, `Open jobs`, `Requests per second` */
export function limitName({ unit, per }: LimitRow): string {
  if (per !== null) return `${counted[unit]} per ${per}`;
  return unit === 'money' ? `${counted[unit]} in all` : counted[unit];
}

/** What people wrote, by `limit`; empty for no limit. */
export type LimitTexts = Record<string, string>;

export function textsOf(rows: readonly LimitRow[]): LimitTexts {
  return Object.fromEntries(rows.map(({ limit, most }) => [limit, most === null ? '' : String(most)]));
}

/** What is wrong in what was written, by `limit`. */
export function wrongLimits(rows: readonly LimitRow[], texts: LimitTexts): Record<string, string> {
  return Object.fromEntries(
    rows.flatMap(({ limit, unit }) => {
      const text = texts[limit]?.trim() ?? '';
      const wrong = text === '' ? undefined : unit === 'money' ? wrongAmount(text) : wrongCount(text);
      return wrong === undefined ? [] : [[limit, wrong]];
    }),
  );
}

/** What differs from how it is now. */
export function changesOf(rows: readonly LimitRow[], texts: LimitTexts): LimitChanges {
  const before = textsOf(rows);
  return Object.fromEntries(
    rows.flatMap(({ limit }) => {
      const text = texts[limit]?.trim() ?? '';
      return text === before[limit] ? [] : [[limit, text === '' ? null : text]];
    }),
  );
}

function wrongCount(text: string): string | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? undefined : 'A whole number such as 20';
}

/** `203.0.113.0/24, 198.51.100.7`, over one or more lines; null for none. */
export function networksOf(text: string): string[] | null {
  const networks = [...new Set(text.split(/[\s,]+/).filter((one) => one !== ''))];
  return networks.length === 0 ? null : networks;
}
