import { useSyncExternalStore } from 'react';

/** Announces a change to screen readers: the state of a job, a copied key. */
export function announce(text: string): void {
  spoken = text;
  for (const listener of listeners) listener();
}

/** The one live region of the panel. */
export function Announcer() {
  const text = useSyncExternalStore(subscribe, () => spoken);
  return (
    <div className="sr-only" role="status" aria-live="polite">
      {text}
    </div>
  );
}

let spoken = '';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
