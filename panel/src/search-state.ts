import { useLocation } from '@tanstack/react-router';
import { withQuery } from './paths.ts';
import { useGo } from './ui/link.tsx';

type Values = Record<string, string | undefined>;

/** State in the URL: values by name, and a function that changes some of them. */
export function useSearchState(): [Values, (change: Values) => void] {
  const { pathname, search } = useLocation();
  const go = useGo();
  const values = search as Values; // the router is configured to keep every value as text
  const change = (some: Values) => go(withQuery(pathname, { ...values, ...some }), { replace: true });
  return [values, change];
}
