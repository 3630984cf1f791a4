export const marginAlertKinds = ['below_cost', 'cost_risen'] as const;
export type MarginAlertKind = (typeof marginAlertKinds)[number];

export interface SoldModel {
  images: number;
  costed: number;
  revenueMicros: bigint;
  costMicros: bigint;
}

export interface MarginAlert {
  model: string;
  alert: MarginAlertKind;
  images: number;
  /** The recent revenue per image. */
  revenueMicros: bigint;
  costMicros: bigint;
  /** The earlier cost per image; null if too little is known. */
  costBeforeMicros: bigint | null;
}

/** With fewer images, a single one that needed three attempts, and so three times the cost, would cause an alert. */
const fewestImages = 10;

/** Decides which alerts apply. The cost of failures counts; images with unknown cost count as free. Pure. */
export function decideMarginAlerts(
  model: string,
  { lately, before }: { lately: SoldModel; before: SoldModel },
  risePercent: number,
): MarginAlert[] {
  const { images, costed, revenueMicros, costMicros } = lately;
  if (images < fewestImages) return [];
  const each = meanOf(lately);
  const eachBefore = before.costed < fewestImages ? null : meanOf(before);
  const told = {
    ...{ model, images, revenueMicros: revenueMicros / BigInt(images), costMicros: each },
    costBeforeMicros: eachBefore,
  };
  const isBelow = costMicros > revenueMicros;
  const hasRisen =
    costed >= fewestImages &&
    eachBefore !== null &&
    (each - eachBefore) * 100n > eachBefore * BigInt(risePercent);
  return [
    ...(isBelow ? [{ ...told, alert: 'below_cost' as const }] : []),
    ...(hasRisen ? [{ ...told, alert: 'cost_risen' as const }] : []),
  ];
}

/** The mean cost of images with a known cost. If there are none, the cost of failures is spread over all images. */
function meanOf({ images, costed, costMicros }: SoldModel): bigint {
  return costMicros / BigInt(costed || Math.max(1, images));
}
