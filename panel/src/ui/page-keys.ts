import { useEffect, useRef } from 'react';

/** Calls `press` for the page's keys. Ignores keys that text fields, menus and the browser use. */
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
