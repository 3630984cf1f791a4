import { useSyncExternalStore } from 'react';

const undoMs = 10_000;

interface Held {
  jobIds: readonly string[];
  /** True once the request is sent and it is too late to undo. */
  isSent: boolean;
  /** Why this deletion, or an earlier one, failed. */
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
  forget();
}

export function finishDeletion(): void {
  if (!held || held.isSent) return;
  clearTimeout(held.timer);
  const sent = { ...held, isSent: true };
  set(sent);
  const isLast = () => held?.remove === sent.remove;
  sent.remove().then(
    () => isLast() && forget(),
    // A later deletion stays held: its images remain hidden, and it can be undone.
    (error: unknown) => set(held && !isLast() ? { ...held, error } : { ...sent, jobIds: [], error }),
  );
}

/** Holds no deletion any longer, but keeps the error of an earlier one. */
function forget(): void {
  set(held?.error ? { ...held, jobIds: [], isSent: true } : null);
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
