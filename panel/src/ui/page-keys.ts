import { useEffect, useRef } from 'react';

/** Keys of the whole page, but for those that are typed, that move in a menu, or that are the browser's. */
export function usePageKeys(press: (key: string) => void): void {
  const latest = useRef(press);
  latest.current = press;
  useEffect(() => {
    const onKey = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      const elsewhere =
        target instanceof Element && target.closest('input, textarea, select, [role="menu"]') !== null;
      if (!elsewhere && !ctrlKey && !metaKey && !altKey) latest.current(key);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
