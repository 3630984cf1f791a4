/** The widths of a result's smaller images, in pixels. A narrower image keeps its own width. */
export const renditionWidths = [256, 768, 1600] as const;
export type RenditionWidth = (typeof renditionWidths)[number];

/** The widths that are made together: the smallest for lists, the larger ones for people who open an image. */
export const renditionSets = { smallest: [256], larger: [768, 1600] } as const satisfies Record<
  string,
  readonly RenditionWidth[]
>;
export type RenditionSet = keyof typeof renditionSets;

export function setOf(width: RenditionWidth): RenditionSet {
  return width === 256 ? 'smallest' : 'larger';
}

export const renditionType = 'image/webp';

/** The rendition's key is next to its image: for `…/{job_id}-1.png` (or `.jpg`, `.webp`), `…/{job_id}-1-256.webp`. */
export function renditionKey(imageKey: string, width: RenditionWidth): string {
  return imageKey.replace(/\.(png|jpg|webp)$/, `-${width}.webp`);
}

/** Includes renditions that do not exist. */
export function keysOfResult(imageKey: string): string[] {
  return [imageKey, ...renditionWidths.map((width) => renditionKey(imageKey, width))];
}
