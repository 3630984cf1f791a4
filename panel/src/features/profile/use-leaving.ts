import { useEffect, useState } from 'react';

/** Aborts when whoever renders it goes: nobody waits for the answer any more. */
export function useLeaving(): AbortSignal {
  const [leaving, setLeaving] = useState(() => new AbortController());
  useEffect(() => {
    // React renders some components twice while it is developed.
    if (leaving.signal.aborted) setLeaving(new AbortController());
    return () => leaving.abort();
  }, [leaving]);
  return leaving.signal;
}
