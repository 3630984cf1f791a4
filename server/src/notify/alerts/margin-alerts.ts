/** What operators are told of a model that is sold. */
export const marginAlertKinds = ['below_cost', 'cost_risen'] as const;
export type MarginAlertKind = (typeof marginAlertKinds)[number];

/** Of a model, on some days. */
export interface SoldModel {
  images: number;
  /** Images whose cost is known. */
  costed: number;
  revenueMicros: bigint;
  costMicros: bigint;
}

export interface MarginAlert {
  model: string;
  alert: MarginAlertKind;
  images: number;
  /** Of an image, lately. */
  revenueMicros: bigint;
  costMicros: bigint;
  /** Before; null where too little is known of it. */
  costBeforeMicros: bigint | null;
}

/** Fewer images are chance: one that failed twice costs three times as much. */
const fewestImages = 10;

/** Failures count, and images whose cost nobody knows count as free. Pure. */
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

/** Of the images whose cost is known; where none is, all that was paid, for failures, is shared by all images. */
function meanOf({ images, costed, costMicros }: SoldModel): bigint {
  return costMicros / BigInt(costed || Math.max(1, images));
}
