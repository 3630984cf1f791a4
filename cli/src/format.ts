import type { Job, JobQueue } from '@darkroom/sdk';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats a duration: `8.1 s`, `2 min 5 s`, `3 h 20 min`, `4 d 2 h`. */
export function formatDuration(ms: number): string {
  if (ms < minuteMs) return `${(ms / secondMs).toFixed(1).replace(/\.0$/, '')} s`;
  const [big, bigMs, small, smallMs] =
    ms < hourMs
      ? (['min', minuteMs, 's', secondMs] as const)
      : ms < dayMs
        ? (['h', hourMs, 'min', minuteMs] as const)
        : (['d', dayMs, 'h', hourMs] as const);
  const rest = Math.floor((ms % bigMs) / smallMs);
  return `${Math.floor(ms / bigMs)} ${big}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

export function formatAge(iso: string, nowMs: number): string {
  const ms = Math.max(0, nowMs - Date.parse(iso));
  if (ms < minuteMs) return `${Math.floor(ms / secondMs)} s ago`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ago`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ago`;
  return `${Math.floor(ms / dayMs)} d ago`;
}

export function formatTime(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function formatMake(job: Job): string {
  return `${job.model} ${job.resolution} ${job.aspect_ratio}`;
}

/** The time from a job's acceptance to its end, by the server's clock. */
export function tookMs(job: Job): number {
  return job.finished_at === null ? 0 : Date.parse(job.finished_at) - Date.parse(job.created_at);
}

export function quoteForShell(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Writes a prompt on one line, without terminal control characters. */
export function formatPrompt(prompt: string): string {
  return prompt.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

export function formatQueue({ ahead, reason, eta }: JobQueue): string {
  const place = `${ahead} ahead (${reason.replaceAll('_', ' ')})`;
  if (!eta) return place;
  return `${place}, done in about ${formatDuration(eta.p50 * secondMs)}, hardly later than in ${formatDuration(eta.p95 * secondMs)}`;
}
