import { useSyncExternalStore } from 'react';
import { clock, day, decimals } from '../languages/format.ts';
import { t } from '../languages/words.ts';

/** Shows a time as "3 min ago". The tooltip has the local time and UTC. With `beside`, the local time is visible. */
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

export function LocalTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utc(at)} className="number nowrap">
      {localTime(at)}
    </time>
  );
}

export function Expiry({ at, beside = false }: { at: string; beside?: boolean }) {
  const passed = useIsPast(at);
  return (
    <>
      {passed ? (
        <>
          expired <RelativeTime at={at} beside={beside} />
        </>
      ) : (
        <>
          expires <RelativeTime at={at} beside={beside} />
        </>
      )}
    </>
  );
}

/** Whether a time is past. The value updates as time passes. */
export function useIsPast(at: string): boolean {
  return Date.parse(at) <= useNow();
}

export function Elapsed({ since }: { since: string }) {
  const now = useNow();
  return <span className="number">{duration(Math.max(0, now - Date.parse(since)))}</span>;
}

export function utc(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}

/** Formats as `2026-11-22 14:05:07` in English, in this browser's time zone. */
export function localTime(at: string): string {
  return `${localDay(at)} ${clock(new Date(at), true)}`;
}

export function localMinute(at: string): string {
  return `${localDay(at)} ${localHour(at)}`;
}

export function localHour(at: string): string {
  return clock(new Date(at), false);
}

export function localDay(at: string): string {
  return day(new Date(at));
}

/** Formats as `800 ms`, `1.2 s`, `12 s`, `3 min 20 s` or `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 950) return t('{ms} ms', { ms: Math.round(ms) });
  if (ms < 9_950) return t('{s} s', { s: decimals(ms / 1000, 1) });
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return t('{s} s', { s: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return inMinutes(minutes, seconds % 60);
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return inHours(hours, minutes % 60);
  return t('{d, plural, one {# day} other {# days}}', { d: Math.floor(hours / 24) });
}

function inMinutes(min: number, s: number): string {
  return s ? t('{min} min {s} s', { min, s }) : t('{min} min', { min });
}

function inHours(h: number, min: number): string {
  return min ? t('{h} h {min} min', { h, min }) : t('{h} h', { h });
}

export function relative(differenceMs: number): string {
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  if (seconds < 5) return differenceMs < 0 ? t('just now') : t('in a moment');
  if (seconds >= 48 * 3600) return inDays(Math.round(seconds / 86_400), differenceMs < 0);
  const value =
    seconds < 60
      ? t('{s} s', { s: seconds })
      : seconds < 3600
        ? t('{min} min', { min: Math.round(seconds / 60) })
        : t('{h} h', { h: Math.round(seconds / 3600) });
  return differenceMs < 0 ? t('{value} ago', { value }) : t('in {value}', { value });
}

function inDays(d: number, isPast: boolean): string {
  return isPast
    ? t('{d, plural, one {# day ago} other {# days ago}}', { d })
    : t('{d, plural, one {in # day} other {in # days}}', { d });
}

/** One clock for the whole page, so that a thousand times share one timer. */
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
    // Catches up immediately: the clock was stopped until now, and browsers delay the timers of hidden pages.
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
