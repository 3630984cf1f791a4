import { useCallback, useRef, useState } from 'react';

/** The speed that counts as fast, in pixels per millisecond: about a screen per second. */
const fast = 1;
/**
 * The time over which speed is averaged, because scroll steps are uneven. It is shorter while scrolling seems fast, so
 * that fast scrolling is noticed soon.
 */
const windowMs = { fast: 100, slow: 300 };

/** Whether the user is scrolling fast. Call `note` at each step, and once with `isScrolling` false at the end. */
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
    // Waits for two frames, because a busy machine may draw the next step late.
    const rest = () => setFast(false);
    last.current.frame = requestAnimationFrame(() => {
      last.current.frame = requestAnimationFrame(rest);
    });
  }, []);
  return [isFast, note];
}
