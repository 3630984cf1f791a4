import { useEffect, useState } from 'react';

/** Aborts when the component unmounts, because then nothing waits for the answer. */
export function useLeaving(): AbortSignal {
  const [leaving, setLeaving] = useState(() => new AbortController());
  useEffect(() => {
    // In development, React mounts components twice.
    if (leaving.signal.aborted) setLeaving(new AbortController());
    return () => leaving.abort();
  }, [leaving]);
  return leaving.signal;
}
