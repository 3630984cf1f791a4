import { useLocation } from '@tanstack/react-router';
import { withQuery } from '../paths.ts';
import { useGo } from '../ui/link.tsx';

type Values = Record<string, string | undefined>;

/** What a page shows stands in its address: values by name, and a way to change some of them. */
export function useSearchState(): [Values, (change: Values) => void] {
  const { pathname, search } = useLocation();
  const go = useGo();
  const values = search as Values; // the router is told that every value is text
  const change = (some: Values) => go(withQuery(pathname, { ...values, ...some }), { replace: true });
  return [values, change];
}
