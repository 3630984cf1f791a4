import { type PointerEvent, useRef } from 'react';
import { type BrushPoint, drawSteps, drawStroke, type Stroke } from './mask-steps.ts';
import type { Mask } from './use-mask.ts';

export interface Point {
  x: number;
  y: number;
}

/** The share of the brush's width that a lightly pressed pen paints. */
const lightestShare = 0.35;

/**
 * One pointer paints. A second pointer undoes the begun stroke, then zooms and moves the image. A stroke becomes a step
 * of the mask when it ends.
 */
export function usePainting(props: {
  frame: React.RefObject<HTMLElement | null>;
  canvas: React.RefObject<HTMLCanvasElement | null>;
  mask: Mask;
  erases: boolean;
  /** The brush's width, in pixels of the mask. */
  width: number;
  onMove: (x: number, y: number) => void;
  onPinch: (factor: number, middle: Point) => void;
}) {
  const { frame, canvas, mask } = props;
  const down = useRef(new Map<number, Point>());
  const stroke = useRef<Stroke>(null);
  const context = () => canvas.current?.getContext('2d') ?? null;

  const paint = (event: PointerEvent) => {
    const [drawing, box] = [context(), canvas.current?.getBoundingClientRect()];
    if (!stroke.current || !drawing || !box) return;
    const { points } = stroke.current;
    const from = points.length;
    const { nativeEvent } = event;
    const coalesced = nativeEvent.getCoalescedEvents?.() ?? [];
    for (const one of coalesced.length > 0 ? coalesced : [nativeEvent])
      points.push(pointOf(one, box, drawing.canvas, props.width));
    drawStroke(drawing, stroke.current, from);
  };
  const end = (event: PointerEvent) => {
    down.current.delete(event.pointerId);
    if (stroke.current) mask.add(stroke.current);
    stroke.current = null;
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button > 1) return;
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      down.current.set(event.pointerId, placeIn(frame.current, event));
      const paints = event.button === 0 && down.current.size === 1;
      const drawing = context();
      if (!paints && stroke.current && drawing) drawSteps(drawing, mask.steps);
      stroke.current = paints ? { kind: 'stroke', erases: props.erases, points: [] } : null;
      paint(event);
    },
    onPointerMove: (event: PointerEvent) => {
      const before = down.current.get(event.pointerId);
      if (!before) return;
      if (stroke.current) return paint(event);
      const now = placeIn(frame.current, event);
      const [other] = [...down.current].flatMap(([id, at]) => (id === event.pointerId ? [] : [at]));
      down.current.set(event.pointerId, now);
      if (other) {
        const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
        props.onPinch(apart(now, other) / Math.max(1, apart(before, other)), middle);
      }
      const share = other ? 0.5 : 1;
      props.onMove((now.x - before.x) * share, (now.y - before.y) * share);
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}

function pointOf(
  event: globalThis.PointerEvent,
  box: DOMRect,
  mask: { width: number; height: number },
  width: number,
): BrushPoint {
  const pressed = event.pointerType === 'pen' && event.pressure > 0 ? event.pressure : 1;
  return {
    x: ((event.clientX - box.left) / box.width) * mask.width,
    y: ((event.clientY - box.top) / box.height) * mask.height,
    width: width * (lightestShare + (1 - lightestShare) * pressed),
  };
}

/** Returns the pointer's position relative to the element's middle. */
function placeIn(element: Element | null, event: { clientX: number; clientY: number }): Point {
  const box = element?.getBoundingClientRect() ?? new DOMRect();
  return { x: event.clientX - box.left - box.width / 2, y: event.clientY - box.top - box.height / 2 };
}

function apart(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
