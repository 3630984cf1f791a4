import type { AnswerOf } from '@darkroom/server/panel-contract';

export type Rates = AnswerOf<'GET /admin/v1/rates'>;
export type Rate = Rates['data'][number];

/** What providers charge by, and for how much of it. */
export const rateUnits = [
  { unit: 'text_in', of: 'Text in', each: 'a million tokens' },
  { unit: 'image_in', of: 'Images in', each: 'a million tokens' },
  { unit: 'text_out', of: 'Text out', each: 'a million tokens' },
  { unit: 'image_out', of: 'Images out', each: 'a million tokens' },
  { unit: 'image', of: 'Images', each: 'an image' },
  { unit: 'credit', of: 'Credits', each: 'a credit' },
] as const;

/** Who says so: you, the site of the vendor, or the gateway whose list repeats its prices. */
export function sourceOf({ source, gateway }: Rate): string {
  if (source === null) return 'your own rate';
  return gateway === null ? new URL(source).hostname : `the list of ${gateway}`;
}
