import { useSyncExternalStore } from 'react';

const undoMs = 10_000;

interface Held {
  jobIds: readonly string[];
  /** True once the request is sent and it is too late to undo. */
  isSent: boolean;
  error: unknown;
  remove: () => Promise<void>;
  timer: ReturnType<typeof setTimeout>;
}

/** Hides images immediately. Deletes them after `undoMs`, or earlier if the user leaves the page or deletes more. */
export function holdDeletion(jobIds: readonly string[], remove: () => Promise<void>): void {
  finishDeletion();
  set({ jobIds, remove, isSent: false, error: null, timer: setTimeout(finishDeletion, undoMs) });
}

export function undoDeletion(): void {
  clearTimeout(held?.timer);
  set(null);
}

export function finishDeletion(): void {
  if (!held || held.isSent) return;
  clearTimeout(held.timer);
  const sent = { ...held, isSent: true };
  set(sent);
  const end = (next: Held | null) => held === sent && set(next);
  sent.remove().then(
    () => end(null),
    (error: unknown) => end({ ...sent, jobIds: [], error }),
  );
}

export function useHeldDeletion(): Held | null {
  return useSyncExternalStore(subscribe, () => held);
}

let held: Held | null = null;
const listeners = new Set<() => void>();

function set(next: Held | null): void {
  held = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
