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
    // The address is ahead of what is shown: two changes in quick succession would be the second alone.
    const now = router.latestLocation;
    // A change that comes late, such as that of a search field, does not lead back to a page that is being left.
    if (now.pathname === pathname)
      go(withQuery(pathname, { ...(now.search as Values), ...some }), { replace: true });
  };
  return [search as Values, change]; // the router is configured to keep every value as text
}
