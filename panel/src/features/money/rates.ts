import type { AnswerOf } from '@darkroom/server/panel-contract';
import { t } from '../../languages/words.ts';

export type Rates = AnswerOf<'GET /admin/v1/rates'>;
export type Rate = Rates['data'][number];

/** What providers charge for, and the quantity that one rate covers. */
export const rateUnits = [
  { unit: 'text_in', of: t('Text in'), each: t('a million tokens') },
  { unit: 'image_in', of: t('Images in'), each: t('a million tokens') },
  { unit: 'text_out', of: t('Text out'), each: t('a million tokens') },
  { unit: 'image_out', of: t('Images out'), each: t('a million tokens') },
  { unit: 'image', of: t('Images'), each: t('an image') },
  { unit: 'unit', of: t('Units'), each: t('a unit that the provider bills') },
  { unit: 'credit', of: t('Credits'), each: t('a credit') },
] as const;

export function sourceOf({ source, gateway }: Rate): string {
  if (source === null) return t('your own rate');
  return gateway === null ? new URL(source).hostname : t('the list of {gateway}', { gateway });
}
