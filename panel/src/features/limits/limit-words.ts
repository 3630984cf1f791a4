import type { LimitChanges, LimitRow } from '@darkroom/server/panel-contract';
import { amount } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { wrongAmount } from '../money/amount.ts';

/** The word for no limit, as on the command line. */
const none = 'none';

const names: Record<LimitRow['limit'], string> = {
  spend_hour: t('Spend per hour'),
  spend_day: t('Spend per day'),
  spend_month: t('Spend per month'),
  spend_total: t('Spend in all'),
  open: t('Open jobs'),
  waiting: t('Waiting jobs'),
  running: t('Running jobs'),
  input_bytes_day: t('Input images per day'),
  requests_second: t('Requests per second'),
  requests_minute: t('Requests per minute'),
};

export function limitName({ limit }: Pick<LimitRow, 'limit'>): string {
  return names[limit];
}

export function amountText(unit: LimitRow['unit'], most: string): string {
  if (unit === 'bytes') return bytesText(Number(most));
  return unit === 'money' ? amount(most) : most;
}

/** Formats as `500 MB`, in the largest unit that is exact. */
function bytesText(bytes: number): string {
  for (const [unit, size] of [
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
  ] as const)
    if (bytes >= size && bytes % size === 0) return `${bytes / size} ${unit}`;
  return String(bytes);
}

/** The entered texts by `limit`: empty for the installation's default, `none` for no limit. */
export type LimitTexts = Record<string, string>;

export function textsOf(rows: readonly LimitRow[]): LimitTexts {
  return Object.fromEntries(
    rows.map(({ limit, unit, most, is_default: isDefault, is_lifted: isLifted }) => [
      limit,
      isLifted ? none : most === null || isDefault ? '' : unit === 'bytes' ? bytesText(Number(most)) : most,
    ]),
  );
}

export function wrongLimits(rows: readonly LimitRow[], texts: LimitTexts): Record<string, string> {
  return Object.fromEntries(
    rows.flatMap(({ limit, unit }) => {
      const text = texts[limit]?.trim() ?? '';
      const wrong = text === '' || text === none ? undefined : wrongText[unit](text);
      return wrong === undefined ? [] : [[limit, wrong]];
    }),
  );
}

export function changesOf(rows: readonly LimitRow[], texts: LimitTexts): LimitChanges {
  const before = textsOf(rows);
  return Object.fromEntries(
    rows.flatMap(({ limit, unit }) => {
      const text = texts[limit]?.trim() ?? '';
      return text === (before[limit] ?? '') ? [] : [[limit, mostOf(unit, text)]];
    }),
  ) as LimitChanges; // the server names the rows and their units
}

function mostOf(unit: LimitRow['unit'], text: string): string | number | null {
  if (text === '') return 'default';
  if (text === none) return null;
  if (unit === 'money') return text;
  const [, digits, bytes = ''] = /^(\d+) ?(|kB|MB|GB)$/.exec(text) ?? [];
  return Number(digits) * 1_000 ** ['', 'kB', 'MB', 'GB'].indexOf(bytes);
}

const wrongText: Record<LimitRow['unit'], (text: string) => string | undefined> = {
  money: wrongAmount,
  jobs: wrongCount,
  bytes: (text) => (/^[1-9]\d{0,11} ?(|kB|MB|GB)$/.test(text) ? undefined : t('Such as 500 MB')),
  requests: wrongCount,
};

function wrongCount(text: string): string | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? undefined : t('A whole number such as 20');
}

/** Reads networks such as `203.0.113.0/24, 198.51.100.7`, on one or more lines. Returns null if there are none. */
export function networksOf(text: string): string[] | null {
  const networks = [...new Set(text.split(/[\s,]+/).filter((one) => one !== ''))];
  return networks.length === 0 ? null : networks;
}
