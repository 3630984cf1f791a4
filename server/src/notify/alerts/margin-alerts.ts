/** The alerts to operators about a model that is sold. */
export const marginAlertKinds = ['below_cost', 'cost_risen'] as const;
export type MarginAlertKind = (typeof marginAlertKinds)[number];

/** The sales of a model over some days. */
export interface SoldModel {
  images: number;
  /** Images with known cost. */
  costed: number;
  revenueMicros: bigint;
  costMicros: bigint;
}

export interface MarginAlert {
  model: string;
  alert: MarginAlertKind;
  images: number;
  /** The recent revenue of an image. */
  revenueMicros: bigint;
  costMicros: bigint;
  /** The earlier cost; null if too little is known. */
  costBeforeMicros: bigint | null;
}

/** Fewer images prove nothing: one that failed twice costs three times as much. */
const fewestImages = 10;

/** Counts failures, and images with unknown cost as free. Pure. */
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

/** The mean over images with known cost. Without any, the cost of failures is spread over all images. */
function meanOf({ images, costed, costMicros }: SoldModel): bigint {
  return costMicros / BigInt(costed || Math.max(1, images));
}
