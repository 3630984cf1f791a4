import type { RetentionChanges, RetentionRow } from '@darkroom/server/panel-contract';

export const partName: Record<RetentionRow['part'], string> = {
  jobs: 'Jobs, with all that belongs to them',
  pictures: 'Pictures',
  prompts: 'Prompts and parameters',
  inputs: 'Input images',
  deliveries: 'Deliveries of webhooks',
  idempotency: 'Idempotency keys',
  audit: 'Audit log',
};

export function daysText(days: number | null): string {
  if (days === null) return 'for good';
  return `${days.toLocaleString('en')} ${days === 1 ? 'day' : 'days'}`;
}

/** Only what differs from before; an empty text takes a part back to the installation's. */
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
  return `A whole number from ${least} to ${longest.toLocaleString('en')}`;
}
