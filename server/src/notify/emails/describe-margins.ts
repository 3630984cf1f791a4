import type { EmailContent } from './write-email.ts';

/** An alert as `alerts/` presents it, with amounts in the currency of the installation. */
export interface ToldMargin {
  model: string;
  alert: 'below_cost' | 'cost_risen';
  images: number;
  revenue_per_image: string;
  cost_per_image: string;
  /** Null where too little is known. */
  cost_before: string | null;
}

/** Writes the email to operators about models that lose money, of which there is at least one. */
export function describeMargins(
  told: readonly ToldMargin[],
  { here, currency }: { here: string; currency: string },
): EmailContent {
  return {
    subject: subjectOf(told),
    said: told.map((one) => sentenceOf(one, currency)),
    action: { label: 'Open the margins', url: `${here}/operator/margins` },
    notes: ['Failed attempts count too, and images of unknown cost count as free.'],
    why: 'You get this email because you are an operator of this installation. It is sent once, and again only if the alert returns after a day or more.',
  };
}

function subjectOf(told: readonly ToldMargin[]): string {
  const models = [...new Set(told.map(({ model }) => model))];
  const [first] = told;
  if (models.length > 1) return `${models.length} models cost too much: ${models.join(', ')}`;
  return first?.alert === 'below_cost'
    ? `Sold below its cost: ${first.model}`
    : `An image costs more than before: ${first?.model}`;
}

function sentenceOf(told: ToldMargin, currency: string): string {
  const lately = `Today and yesterday (UTC), an image of "${told.model}" cost ${told.cost_per_image} ${currency}`;
  return told.alert === 'below_cost'
    ? `${lately} and brought ${told.revenue_per_image} ${currency}, over ${told.images} images.`
    : `${lately}. In the four weeks before it cost ${told.cost_before} ${currency}.`;
}
