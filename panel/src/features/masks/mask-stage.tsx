import { useElementSize, useMergedRef } from '@mantine/hooks';
import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { Image, type ImageFacts } from '../../ui/image.tsx';
import { fit, fitted, hold, realScale, type View, zoomAt } from '../gallery/zoom.ts';
import { maskSize } from './mask-file.ts';
import classes from './mask-stage.module.css';
import { drawSteps } from './mask-steps.ts';
import type { Mask } from './use-mask.ts';
import { type Point, usePainting } from './use-painting.ts';

export interface Brush {
  /** The brush's width, in percent of the image's shorter side. */
  size: number;
  /** The softness of the edge, in percent of the image's shorter side. */
  feather: number;
  erases: boolean;
}

const wheelStep = 1.0018;

/**
 * An image to paint a mask on, with the mouse, a pen or a finger. The wheel and two fingers zoom; two fingers and the
 * middle button move the image.
 */
export function MaskStage(props: { facts: ImageFacts; alt: string; mask: Mask; brush: Brush }) {
  const { facts, mask, brush } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const { ref: sized, width, height } = useElementSize<HTMLDivElement>();
  const frame = useRef<HTMLDivElement>(null);
  const ring = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>(fitted);
  const stage = { width: Math.max(1, width), height: Math.max(1, height) };
  const shown = fit(facts, stage);
  const size = maskSize(facts);
  const shorter = Math.min(size.width, size.height);
  const real = realScale(facts, stage, window.devicePixelRatio);
  const zoom = (change: (scale: number) => number, point: Point = { x: 0, y: 0 }) =>
    setView((now) => zoomAt(now, change(now.scale), point, { image: facts, stage, real }));
  const painting = usePainting({
    ...{ frame, canvas, mask, erases: brush.erases },
    width: (brush.size / 100) * shorter,
    onMove: (x, y) => setView((now) => hold({ scale: now.scale, x: now.x + x, y: now.y + y }, facts, stage)),
    onPinch: (factor, middle) => zoom((scale) => scale * factor, middle),
  });
  useWheel(frame, zoom);
  useEffect(() => {
    const context = canvas.current?.getContext('2d', { willReadFrequently: true });
    if (context) drawSteps(context, mask.steps);
  }, [mask.steps]);
  const showRing = (event: PointerEvent) => {
    const box = frame.current?.getBoundingClientRect();
    if (!box || !ring.current) return;
    const { style } = ring.current;
    style.display = event.pointerType === 'touch' ? 'none' : 'block';
    style.translate = `${event.clientX - box.left}px ${event.clientY - box.top}px`;
  };
  const across = (brush.size / 100) * Math.min(shown.width, shown.height) * view.scale;
  const blur = (brush.feather / 100) * Math.min(shown.width, shown.height);
  return (
    <div
      ref={useMergedRef(sized, frame)}
      className={classes.stage}
      {...painting}
      onPointerMove={(event) => {
        showRing(event);
        painting.onPointerMove(event);
      }}
      onPointerLeave={() => ring.current?.style.setProperty('display', 'none')}
    >
      <div
        className={classes.image}
        style={{ ...shown, transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
      >
        <Image facts={facts} alt={props.alt} sizes={`${Math.round(shown.width * view.scale)}px`} eager />
        <canvas
          ref={canvas}
          {...size}
          className={classes.mask}
          style={blur >= 0.5 ? { filter: `blur(${blur}px)` } : {}}
          aria-label="What will change"
          role="img"
        />
      </div>
      <div ref={ring} className={classes.ring} style={{ width: across, height: across }} aria-hidden />
    </div>
  );
}

/** Adds its own listener, because React's are passive and cannot keep the page from scrolling. */
function useWheel(
  frame: React.RefObject<HTMLElement | null>,
  zoom: (change: (scale: number) => number, point: Point) => void,
): void {
  const latest = useRef(zoom);
  latest.current = zoom;
  useEffect(() => {
    const element = frame.current;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = (event.currentTarget as HTMLElement).getBoundingClientRect(); // the handler's element
      const point = {
        x: event.clientX - box.left - box.width / 2,
        y: event.clientY - box.top - box.height / 2,
      };
      latest.current((scale) => scale * wheelStep ** -event.deltaY, point);
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, [frame]);
}
