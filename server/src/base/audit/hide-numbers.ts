import type { OpaqueIds } from '../std/sealing/opaque-ids.ts';
import type { WrittenAuditEntry } from './audit-store.ts';

type Noted = Pick<WrittenAuditEntry, 'action' | 'subject' | 'detail'>;

/** Replaces database numbers with opaque ids in an audit log entry. */
export function hideNumbers(ids: OpaqueIds, { action, subject, detail }: Noted): Omit<Noted, 'action'> {
  const isDelivery = action === 'deliveries.retried' && subject !== null && /^\d+$/.test(subject);
  const { corrects } = detail;
  return {
    subject: isDelivery ? ids.seal('delivery', Number(subject)) : subject,
    detail: typeof corrects === 'number' ? { ...detail, corrects: ids.seal('entry', corrects) } : detail,
  };
}
