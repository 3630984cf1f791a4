/** A point of a brush stroke, in pixels of the mask. Pressing a pen harder widens the stroke. */
export interface BrushPoint {
  x: number;
  y: number;
  width: number;
}

export interface Stroke {
  kind: 'stroke';
  erases: boolean;
  points: BrushPoint[];
}

/** A step of painting a mask. The mask is redrawn from its steps, so that each can be undone. */
export type MaskStep = Stroke | { kind: 'invert' } | { kind: 'clear' };

/** The colour of the marks. The mask uses only their opacity. */
const marker = '#ff5a36';

export function drawSteps(context: CanvasRenderingContext2D, steps: readonly MaskStep[]): void {
  const { width, height } = context.canvas;
  context.clearRect(0, 0, width, height);
  for (const step of steps) {
    if (step.kind === 'stroke') drawStroke(context, step);
    else if (step.kind === 'clear') context.clearRect(0, 0, width, height);
    else {
      context.globalCompositeOperation = 'source-out';
      context.fillStyle = marker;
      context.fillRect(0, 0, width, height);
    }
  }
}

/** Draws a stroke. `from` is the first point that is not drawn yet, while the stroke is being painted. */
export function drawStroke(context: CanvasRenderingContext2D, stroke: Stroke, from = 0): void {
  context.globalCompositeOperation = stroke.erases ? 'destination-out' : 'source-over';
  context.strokeStyle = marker;
  context.lineCap = 'round';
  const points = stroke.points.slice(Math.max(0, from - 1));
  for (const [index, point] of points.entries()) {
    const next = points[index + 1] ?? point;
    if (next === point && points.length > 1) return;
    context.lineWidth = (point.width + next.width) / 2;
    context.beginPath();
    context.moveTo(point.x, point.y);
    context.lineTo(next.x, next.y);
    context.stroke();
  }
}

/** Whether the steps certainly mark nothing. After an eraser stroke, only the pixels can tell. */
export function isBlank(steps: readonly MaskStep[]): boolean {
  const cleared = steps.findLastIndex(({ kind }) => kind === 'clear');
  return !steps
    .slice(cleared + 1)
    .some((step) => step.kind === 'invert' || !('erases' in step && step.erases));
}
