import { useSyncExternalStore } from 'react';

/** Makes screen readers say a text, such as a job's new state. */
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
