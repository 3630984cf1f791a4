import type { Say } from './say.ts';
import type { EmailContent } from './write-email.ts';

/** Amounts are in the installation's currency. */
export interface ToldMargin {
  model: string;
  alert: 'below_cost' | 'cost_risen';
  images: number;
  revenue_per_image: string;
  cost_per_image: string;
  /** Null if too little is known. */
  cost_before: string | null;
}

export function describeMargins(
  told: readonly ToldMargin[],
  { here, currency, say }: { here: string; currency: string; say: Say },
): EmailContent {
  return {
    subject: subjectOf(told, say),
    said: told.map((one) => sentenceOf(one, currency, say)),
    action: { label: say('Open the margins'), url: `${here}/operator/margins` },
    notes: [say('Failed attempts count too, and images of unknown cost count as free.')],
    why: say(
      'You get this email because you are an operator of this installation. It is sent once, and again only if the alert returns after a day or more.',
    ),
  };
}

function subjectOf(told: readonly ToldMargin[], say: Say): string {
  const models = [...new Set(told.map(({ model }) => model))];
  const [first] = told;
  if (models.length > 1)
    return say('{count} models cost too much: {models}', { count: models.length, models: models.join(', ') });
  return first?.alert === 'below_cost'
    ? say('Sold below its cost: {model}', { model: first.model })
    : say('An image costs more than before: {model}', { model: first?.model ?? '' });
}

function sentenceOf(told: ToldMargin, currency: string, say: Say): string {
  const values = {
    ...{ model: told.model, cost: told.cost_per_image, currency, images: told.images },
    ...{ revenue: told.revenue_per_image, before: told.cost_before ?? '' },
  };
  return told.alert === 'below_cost'
    ? say(
        'Today and yesterday (UTC), an image of "{model}" cost {cost} {currency} and earned {revenue} {currency}, over {images} images.',
        values,
      )
    : say(
        'Today and yesterday (UTC), an image of "{model}" cost {cost} {currency}. In the four weeks before it cost {before} {currency}.',
        values,
      );
}
