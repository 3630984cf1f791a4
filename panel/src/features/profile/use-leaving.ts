import { useEffect, useState } from 'react';

/** The signal aborts when the component unmounts and no longer needs an answer. */
export function useLeaving(): AbortSignal {
  const [leaving, setLeaving] = useState(() => new AbortController());
  useEffect(() => {
    // Replaces an aborted signal, because in development React unmounts and mounts each component once more.
    if (leaving.signal.aborted) setLeaving(new AbortController());
    return () => leaving.abort();
  }, [leaving]);
  return leaving.signal;
}
