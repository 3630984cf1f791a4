import type { EntryRow } from '@darkroom/server/panel-contract';
import { localDay } from '../../ui/time.tsx';

/** All entries of a job, newest first, or a single credit or debit. */
export interface LedgerLine {
  id: string;
  jobId: string | null;
  entries: EntryRow[];
}

export interface LedgerDay {
  day: string;
  lines: LedgerLine[];
}

/** Puts a job on the day of its newest entry. Newest lines come first. */
export function groupLedger(entries: EntryRow[]): LedgerDay[] {
  const byJob = new Map<string, LedgerLine>();
  const days: LedgerDay[] = [];
  for (const entry of entries) {
    const known = entry.job_id === null ? undefined : byJob.get(entry.job_id);
    if (known) {
      known.entries.push(entry);
      continue;
    }
    const line = { id: entry.entry_id, jobId: entry.job_id, entries: [entry] };
    if (entry.job_id !== null) byJob.set(entry.job_id, line);
    const day = localDay(entry.created_at);
    const last = days.at(-1);
    if (last?.day === day) last.lines.push(line);
    else days.push({ day, lines: [line] });
  }
  return days;
}
