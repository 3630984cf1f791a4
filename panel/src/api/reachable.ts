import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { unreachable } from './problem.ts';

/** A single call may fail because the server is restarting. Two failures in a row mean that the server is down. */
const callsUntilTold = 2;
const tryAgainMs = 3_000;

/** Calls `fetch`, and records whether the server answered. @throws ProblemError `unreachable` */
export async function fetchNoted(address: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(address, init);
    note(0);
    return response;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    note(failures + 1);
    throw unreachable();
  }
}

/** Whether the server answers. The panel polls a server that is down, and reads all data again once it answers. */
export function useReachable(): boolean {
  const count = useSyncExternalStore(subscribe, () => failures);
  const client = useQueryClient();
  const away = count > 0;
  useEffect(() => {
    addEventListener('offline', ask);
    return () => removeEventListener('offline', ask);
  }, []);
  useEffect(() => {
    if (!away) return;
    const timer = setInterval(ask, tryAgainMs);
    addEventListener('online', ask);
    ask();
    return () => {
      clearInterval(timer);
      removeEventListener('online', ask);
      void client.refetchQueries({ type: 'active' });
    };
  }, [away, client]);
  return count < callsUntilTold;
}

export function useOnceBack(run: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => fetchNoted('/panel/sign-in', {}).then(run, () => {}), tryAgainMs);
    return () => clearInterval(timer);
  }, [run]);
}

/** Loads a script of the panel. @throws ProblemError `unreachable` when the server is down */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    await fetchNoted('/panel/sign-in', {});
    throw error;
  }
}

function ask(): void {
  fetchNoted('/panel/sign-in', {}).catch(() => {});
}

let failures = 0;
const listeners = new Set<() => void>();

function note(count: number): void {
  if (failures === count) return;
  failures = count;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
