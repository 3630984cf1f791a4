import { type PointerEvent, useRef, useState } from 'react';

export interface Band {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A shorter drag counts as a click. */
const slackPx = 6;

/** Lets the mouse draw a rectangle over `area`, in pixels of `area`. Calls `onDrawn` while the rectangle grows. */
export function useRubberBand(
  area: React.RefObject<HTMLElement | null>,
  onDrawn: (band: Band) => void,
): {
  band: Band | null;
  handlers: Pick<
    React.HTMLAttributes<HTMLElement>,
    'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel' | 'onClickCapture' | 'onDragStart'
  >;
} {
  const [band, setBand] = useState<Band | null>(null);
  const from = useRef<{ x: number; y: number } | null>(null);
  const drew = useRef(false);

  const placeOf = (event: PointerEvent) => {
    const box = area.current?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  };
  const end = () => {
    from.current = null;
    setBand(null);
  };
  return {
    band,
    handlers: {
      onPointerDown: (event) => {
        drew.current = false;
        const onControl = event.target instanceof Element && event.target.closest('button') !== null;
        if (event.pointerType === 'mouse' && event.button === 0 && !onControl) from.current = placeOf(event);
      },
      onPointerMove: (event) => {
        const start = from.current;
        if (!start) return;
        const here = placeOf(event);
        if (!drew.current && Math.hypot(here.x - start.x, here.y - start.y) < slackPx) return;
        if (!drew.current) event.currentTarget.setPointerCapture(event.pointerId);
        drew.current = true;
        const drawn = {
          left: Math.min(start.x, here.x),
          top: Math.min(start.y, here.y),
          width: Math.abs(here.x - start.x),
          height: Math.abs(here.y - start.y),
        };
        setBand(drawn);
        onDrawn(drawn);
      },
      onPointerUp: end,
      onPointerCancel: end,
      // The click that ends a rectangle must not open an image.
      onClickCapture: (event) => {
        if (!drew.current) return;
        drew.current = false;
        event.preventDefault();
        event.stopPropagation();
      },
      // Otherwise the browser would start to drag the link or the image.
      onDragStart: (event) => event.preventDefault(),
    },
  };
}
