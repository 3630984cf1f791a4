import type { RetentionChanges, RetentionRow } from '@darkroom/server/panel-contract';
import { number } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';

export const partName: Record<RetentionRow['part'], string> = {
  jobs: t('Jobs, with all that belongs to them'),
  pictures: t('Images'),
  prompts: t('Prompts and parameters'),
  inputs: t('Input images'),
  deliveries: t('Deliveries of webhooks'),
  idempotency: t('Idempotency keys'),
  audit: t('Audit log'),
};

export function daysText(days: number | null): string {
  if (days === null) return t('for good');
  return t('{days, plural, one {# day} other {# days}}', { days });
}

/** Returns only the changed parts. An empty text resets a part to the installation's setting. */
export function retentionChanges(
  rows: readonly RetentionRow[],
  texts: Record<string, string>,
): RetentionChanges {
  const changed = rows.flatMap(({ part, days, own }) => {
    const text = texts[part]?.trim() ?? '';
    const wanted = text === '' ? null : Number(text);
    return wanted === (own ? days : null) ? [] : [[part, wanted] as const];
  });
  return Object.fromEntries(changed);
}

const longest = 36_500;

export function wrongDays({ least }: RetentionRow, text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || (/^\d+$/.test(trimmed) && Number(trimmed) >= least && Number(trimmed) <= longest))
    return undefined;
  return t('A whole number from {least} to {longest}', { least, longest: number(longest) });
}
