import { useCallback, useRef, useState } from 'react';

/** Pixels a millisecond, about a screen a second: whoever scrolls faster looks for something, and at nothing. */
const fast = 1;
/** Steps come unevenly on a busy machine, so that some together tell the speed: fewer that it is fast, more that it is slow. */
const windowMs = { fast: 100, slow: 300 };

/** Whether somebody scrolls fast; `note` is told of every step, `isScrolling` until a moment after the last. */
export function useFastScroll(): [isFast: boolean, note: (offset: number, isScrolling: boolean) => void] {
  const [isFast, setFast] = useState(false);
  const last = useRef({ offset: 0, at: 0, frame: 0 });
  const note = useCallback((offset: number, isScrolling: boolean) => {
    const now = performance.now();
    const { offset: from, at, frame } = last.current;
    cancelAnimationFrame(frame);
    if (isScrolling) {
      const ms = now - at;
      const isFaster = Math.abs(offset - from) / ms > fast;
      if (ms < windowMs[isFaster ? 'fast' : 'slow']) return;
      setFast(isFaster);
      last.current = { offset, at: now, frame };
      return;
    }
    // On a busy machine the moment may be over before the next step is drawn.
    const rest = () => setFast(false);
    last.current.frame = requestAnimationFrame(() => {
      last.current.frame = requestAnimationFrame(rest);
    });
  }, []);
  return [isFast, note];
}
