import { useSyncExternalStore } from 'react';

/** "3 min ago", with the local time and UTC as a title, or the local time beside it. */
export function RelativeTime({ at, beside = false }: { at: string; beside?: boolean }) {
  const now = useNow();
  return (
    <time dateTime={at} title={beside ? utc(at) : `${localTime(at)} (${utc(at)})`} className="number">
      <span className="nowrap">{relative(Date.parse(at) - now)}</span>
      {beside && (
        <>
          {' '}
          <span className="soft tiny nowrap">{localTime(at)}</span>
        </>
      )}
    </time>
  );
}

/** The local time, with UTC as a title. */
export function LocalTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utc(at)} className="number nowrap">
      {localTime(at)}
    </time>
  );
}

/** "expires in 3 min" until then, "expired 3 min ago" from then on. */
export function Expiry({ at, beside = false }: { at: string; beside?: boolean }) {
  const passed = Date.parse(at) <= useNow();
  return (
    <>
      {passed ? 'expired ' : 'expires '}
      <RelativeTime at={at} beside={beside} />
    </>
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

/** `2026-11-22 14:05:07` where this browser is. */
export function localTime(at: string): string {
  return `${localDay(at)} ${localClock.format(new Date(at))}`;
}

/** `2026-11-22` where this browser is. */
export function localDay(at: string): string {
  const date = new Date(at);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

const localClock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

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
  if (seconds < 5) return differenceMs < 0 ? 'just now' : 'in a moment';
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
  if (timer === undefined) {
    timer = setInterval(tick, tickMs);
    // Nobody kept the time until now, and browsers hold the timers of hidden pages back.
    now = Date.now();
    document.addEventListener('visibilitychange', tick);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    document.removeEventListener('visibilitychange', tick);
  };
}

function tick() {
  now = Date.now();
  for (const listener of listeners) listener();
}
