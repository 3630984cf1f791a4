import { useLocation, useRouter } from '@tanstack/react-router';
import { withQuery } from './paths.ts';
import { useGo } from './ui/link.tsx';

type Values = Record<string, string | undefined>;

/** State in the URL: values by name, and a function that changes some of them. */
export function useSearchState(): [Values, (change: Values) => void] {
  const { pathname, search } = useLocation();
  const router = useRouter();
  const go = useGo();
  const change = (some: Values) => {
    // The rendered URL may be out of date. With it, the second of two quick changes would undo the first.
    const now = router.latestLocation;
    // A late change, such as a search field's, must not lead back to a page that the user is leaving.
    if (now.pathname === pathname)
      go(withQuery(pathname, { ...(now.search as Values), ...some }), { replace: true });
  };
  return [search as Values, change]; // the router is configured to keep every value as text
}
