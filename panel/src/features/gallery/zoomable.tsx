import { useElementSize, useMergedRef } from '@mantine/hooks';
import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { Image, type ImageFacts } from '../../ui/image.tsx';
import { fit, fitted, hold, realScale, type View, zoomAt } from './zoom.ts';
import classes from './zoomable.module.css';

/** A longer swipe turns to the next image. */
const swipePx = 60;
const wheelStep = 1.0018;
const keyStep = 1.5;

interface ZoomableProps {
  facts: ImageFacts;
  alt: string;
  onTurn: (step: 1 | -1) => void;
  /** Lets several images zoom and move together. Only one of them handles keys. */
  together?: { view: View; onView: (change: (now: View) => View) => void; hearsKeys: boolean } | undefined;
}

/**
 * An image to examine. The wheel, two fingers, a double click and the keys + − 0 Z zoom; dragging moves the image, and
 * a swipe turns to the next.
 */
export function Zoomable({ facts, alt, onTurn, together }: ZoomableProps) {
  const { ref: sized, width, height } = useElementSize<HTMLDivElement>();
  const frame = useRef<HTMLDivElement>(null);
  const [own, setOwn] = useState<View>(fitted);
  const view = together?.view ?? own;
  const setView = together?.onView ?? setOwn;
  const stage = { width: Math.max(1, width), height: Math.max(1, height) };
  const shown = fit(facts, stage);
  const real = realScale(facts, stage, window.devicePixelRatio);
  const zoom = (scale: number, point = { x: 0, y: 0 }) =>
    setView((now) => zoomAt(now, scale, point, { image: facts, stage, real }));
  const drag = (x: number, y: number) =>
    setView((now) => hold({ scale: now.scale, x: now.x + x, y: now.y + y }, facts, stage));
  useWheelAndKeys(frame, { scale: view.scale, real, zoom, hearsKeys: together?.hearsKeys ?? true });
  const pointers = usePointers(frame, { scale: view.scale, zoom, drag, onTurn });
  const other = () => zoom(view.scale > 1 ? 1 : real);
  const percent = Math.round((view.scale / real) * 100);
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys do the same, and so does the button below */}
      <div
        ref={useMergedRef(sized, frame)}
        className={classes.stage}
        data-zoomed={view.scale > 1 || undefined}
        onDoubleClick={(event) => zoom(view.scale > 1 ? 1 : real, placeIn(frame.current, event))}
        {...pointers}
      >
        <div
          className={classes.image}
          style={{ ...shown, transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
        >
          <Image facts={facts} alt={alt} sizes={`${Math.round(shown.width)}px`} eager />
          {view.scale > 1 && facts.image_url && (
            <img className={classes.real} src={facts.image_url} alt="" draggable={false} />
          )}
        </div>
      </div>
      {!together && (
        <button
          type="button"
          className={classes.percent}
          aria-label={
            view.scale > 1
              ? `${percent}% of actual pixels; fit it`
              : `${percent}% of actual pixels; show actual pixels`
          }
          onClick={other}
        >
          {percent}%
        </button>
      )}
    </>
  );
}

type Zoom = (scale: number, point?: Point) => void;
interface Point {
  x: number;
  y: number;
}

function useWheelAndKeys(
  frame: React.RefObject<HTMLElement | null>,
  state: { scale: number; real: number; zoom: Zoom; hearsKeys: boolean },
): void {
  const latest = useRef(state);
  latest.current = state;
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const listening = new AbortController();
    const { signal } = listening;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      latest.current.zoom(latest.current.scale * wheelStep ** -event.deltaY, placeIn(element, event));
    };
    const onKey = ({ key, target }: KeyboardEvent) => {
      const { scale, real, zoom, hearsKeys } = latest.current;
      if (!hearsKeys || target instanceof HTMLInputElement) return;
      if (key === '+' || key === '=') zoom(scale * keyStep);
      if (key === '-') zoom(scale / keyStep);
      if (key === '0') zoom(1);
      if (key === 'z') zoom(scale > 1 ? 1 : real);
    };
    // React's listeners are passive and could not stop the page from scrolling.
    element.addEventListener('wheel', onWheel, { passive: false, signal });
    window.addEventListener('keydown', onKey, { signal });
    return () => listening.abort();
  }, [frame]);
}

function usePointers(
  frame: React.RefObject<HTMLElement | null>,
  props: { scale: number; zoom: Zoom; drag: (x: number, y: number) => void; onTurn: (step: 1 | -1) => void },
) {
  const down = useRef(new Map<number, Point>());
  const swiped = useRef(0);
  const end = (event: PointerEvent) => {
    down.current.delete(event.pointerId);
    if (event.pointerType === 'touch' && Math.abs(swiped.current) > swipePx)
      props.onTurn(swiped.current < 0 ? 1 : -1);
    swiped.current = 0;
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      down.current.set(event.pointerId, placeIn(frame.current, event));
    },
    onPointerMove: (event: PointerEvent) => {
      const before = down.current.get(event.pointerId);
      if (!before) return;
      const now = placeIn(frame.current, event);
      const [other] = [...down.current].flatMap(([id, at]) => (id === event.pointerId ? [] : [at]));
      down.current.set(event.pointerId, now);
      if (other) {
        const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
        props.zoom((props.scale * apart(now, other)) / Math.max(1, apart(before, other)), middle);
      } else if (props.scale > 1) props.drag(now.x - before.x, now.y - before.y);
      else swiped.current += now.x - before.x;
    },
    onPointerUp: end,
    onPointerCancel: end,
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
