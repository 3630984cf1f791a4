/** Widths of the smaller images of a result, in pixels; a narrower image keeps its own. */
export const renditionWidths = [256, 768, 1600] as const;
export type RenditionWidth = (typeof renditionWidths)[number];

/** The widths that are made together: the smallest, which lists show, and the larger ones, for people who open one image. */
export const renditionSets = { smallest: [256], larger: [768, 1600] } as const satisfies Record<
  string,
  readonly RenditionWidth[]
>;
export type RenditionSet = keyof typeof renditionSets;

export function setOf(width: RenditionWidth): RenditionSet {
  return width === 256 ? 'smallest' : 'larger';
}

export const renditionType = 'image/webp';

/** The key of a rendition, beside its image: `…/{job_id}-1.png` (or `.jpg`, `.webp`) has `…/{job_id}-1-256.webp`. */
export function renditionKey(imageKey: string, width: RenditionWidth): string {
  return imageKey.replace(/\.(png|jpg|webp)$/, `-${width}.webp`);
}

/** The objects of a result: the image and its renditions, made or not. */
export function keysOfResult(imageKey: string): string[] {
  return [imageKey, ...renditionWidths.map((width) => renditionKey(imageKey, width))];
}
