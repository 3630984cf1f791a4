import { useEffect, useState } from 'react';

/** Returns a signal that aborts when the component unmounts and its answer is no longer needed. */
export function useLeaving(): AbortSignal {
  const [leaving, setLeaving] = useState(() => new AbortController());
  useEffect(() => {
    // React mounts components twice in development.
    if (leaving.signal.aborted) setLeaving(new AbortController());
    return () => leaving.abort();
  }, [leaving]);
  return leaving.signal;
}
