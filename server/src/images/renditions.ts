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

/** The key of a rendition: `…/{job_id}-1-256.webp` for `…/{job_id}-1.png` (or `.jpg`, `.webp`). */
export function renditionKey(imageKey: string, width: RenditionWidth): string {
  return imageKey.replace(/\.(png|jpg|webp)$/, `-${width}.webp`);
}

/** The keys of a result and all its renditions, whether or not they exist. */
export function keysOfResult(imageKey: string): string[] {
  return [imageKey, ...renditionWidths.map((width) => renditionKey(imageKey, width))];
}
