import { useEffect, useState } from 'react';

/** Aborts when the component unmounts, since nothing then waits for the answer. */
export function useLeaving(): AbortSignal {
  const [leaving, setLeaving] = useState(() => new AbortController());
  useEffect(() => {
    // React renders some components twice while it is developed.
    if (leaving.signal.aborted) setLeaving(new AbortController());
    return () => leaving.abort();
  }, [leaving]);
  return leaving.signal;
}
