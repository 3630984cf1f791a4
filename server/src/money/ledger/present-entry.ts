import { toIso } from '../../base/std/iso-time.ts';
import type { OpaqueIds } from '../../base/std/sealing/opaque-ids.ts';
import { type Change, changeOf } from './entry.ts';
import type { WrittenEntry } from './entry-page-store.ts';
import { formatMicros } from './money.ts';

/** `after` has the balance and the reserved amount after the entry; null if unknown. */
export function presentEntry(ids: OpaqueIds, entry: WrittenEntry, after: Change | null) {
  const change = changeOf(entry);
  return {
    entry_id: ids.seal('entry', entry.id),
    kind: entry.kind,
    amount: formatMicros(entry.amountMicros),
    balance_change: formatMicros(change.balance),
    reserved_change: formatMicros(change.reserved),
    balance_after: after && formatMicros(after.balance),
    reserved_after: after && formatMicros(after.reserved),
    job_id: entry.jobId,
    reason: entry.reason === '' ? null : entry.reason,
    ...(entry.reference !== null && { reference: entry.reference }),
    ...(entry.corrects !== null && { corrects: ids.seal('entry', entry.corrects) }),
    created_at: toIso(entry.createdAt),
  };
}
