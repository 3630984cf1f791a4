import { useSyncExternalStore } from 'react';

/** "3 min ago", with the absolute time in UTC as a title, or beside it. */
export function RelativeTime({ at, beside = false }: { at: string; beside?: boolean }) {
  const now = useNow();
  const absolute = utc(at);
  return (
    <time dateTime={at} title={absolute} className="number">
      <span className="nowrap">{relative(Date.parse(at) - now)}</span>
      {beside && (
        <>
          {' '}
          <span className="soft tiny nowrap">{absolute}</span>
        </>
      )}
    </time>
  );
}

/** Seconds since a moment, as they pass. */
export function Elapsed({ since }: { since: string }) {
  const now = useNow();
  return <span className="number">{duration(Math.max(0, now - Date.parse(since)))}</span>;
}

export function utc(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}

/** `0.8 s`, `12 s`, `3 min 20 s`, `2 h 5 min` */
export function duration(ms: number): string {
  if (ms < 950) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.floor(hours / 24)} d`;
}

export function relative(differenceMs: number): string {
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  if (seconds < 5) return 'just now';
  const [value, unit] =
    seconds < 60
      ? [seconds, 's']
      : seconds < 3600
        ? [Math.round(seconds / 60), 'min']
        : seconds < 48 * 3600
          ? [Math.round(seconds / 3600), 'h']
          : [Math.round(seconds / 86_400), 'd'];
  return differenceMs < 0 ? `${value} ${unit} ago` : `in ${value} ${unit}`;
}

/** One clock for the whole page, so that a thousand times need one timer. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

const tickMs = 1_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick() {
  now = Date.now();
  for (const listener of listeners) listener();
}
