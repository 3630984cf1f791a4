export interface Size {
  width: number;
  height: number;
}

/** The view of an image: its scale, where 1 fits the frame, and its offset from the middle in CSS pixels. */
export interface View {
  scale: number;
  x: number;
  y: number;
}

export const fitted: View = { scale: 1, x: 0, y: 0 };
/** The largest scale, as a multiple of the image's actual pixels. At this scale, single pixels are visible. */
const beyondReal = 4;

/** Fits an image into the stage, but never enlarges it. */
export function fit(image: Size, stage: Size): Size {
  const factor = Math.min(stage.width / image.width, stage.height / image.height, 1);
  return { width: image.width * factor, height: image.height * factor };
}

export function realScale(image: Size, stage: Size, devicePixelRatio: number): number {
  return image.width / (fit(image, stage).width * devicePixelRatio);
}

/** Zooms so that `point`, which is relative to the middle of the stage, stays in place. */
export function zoomAt(
  view: View,
  scale: number,
  point: { x: number; y: number },
  { image, stage, real }: { image: Size; stage: Size; real: number },
): View {
  const next = Math.min(Math.max(1, scale), Math.max(2, real * beyondReal));
  const moved = {
    scale: next,
    x: point.x - ((point.x - view.x) * next) / view.scale,
    y: point.y - ((point.y - view.y) * next) / view.scale,
  };
  return hold(moved, image, stage);
}

/**
 * Moves a view so that no gap appears between an image's edge and the stage's. An image smaller than the stage stays in
 * the middle.
 */
export function hold(view: View, image: Size, stage: Size): View {
  const shown = fit(image, stage);
  const room = {
    x: Math.max(0, (shown.width * view.scale - stage.width) / 2),
    y: Math.max(0, (shown.height * view.scale - stage.height) / 2),
  };
  return {
    scale: view.scale,
    x: Math.min(room.x, Math.max(-room.x, view.x)),
    y: Math.min(room.y, Math.max(-room.y, view.y)),
  };
}
