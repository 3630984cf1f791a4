import type { Database } from '../../../base/db/database.ts';
import type { Sealer } from '../../../base/std/sealer.ts';
import { isLaneOfEmails, type LeasedDelivery } from '../delivery.ts';
import { cancelPendingOf } from '../endpoints/pending-delivery-store.ts';
import { cancelUnwanted } from '../mail/email-store.ts';
import { ensureSecrets } from '../secrets/secret-store.ts';
import { decideQuotas, type LaneLimits } from './decide-quotas.ts';
import {
  countRunningDeliveries,
  findDue,
  findDueLanes,
  findOrphaned,
  leaseDeliveries,
  lockDeliveryClaims,
} from './delivery-claim-store.ts';

export interface DeliveryClaimOptions {
  worker: string;
  limit: number;
  leaseMs: number;
  limits: LaneLimits;
  sealer: Sealer;
}

export interface ClaimedDeliveries {
  deliveries: LeasedDelivery[];
  secrets: Map<string, string[]>;
}

const nothing: ClaimedDeliveries = { deliveries: [], secrets: new Map() };

/** Leases due deliveries. Each lease raises `attempt`, so that an earlier worker can no longer change the delivery. */
export async function claimDeliveries(
  database: Database,
  options: DeliveryClaimOptions,
): Promise<ClaimedDeliveries> {
  if (options.limit <= 0) return nothing;
  // This check is outside the transaction, so that idle processes only read an index.
  const lanes = await findDueLanes(database.read);
  if (lanes.length === 0) return nothing;
  return database.transaction(async (tx) => {
    await lockDeliveryClaims(tx);
    const quotas = decideQuotas(lanes, await countRunningDeliveries(tx), options.limit, options.limits);
    if (quotas.size === 0) return nothing;
    const due = await findDue(tx, quotas);
    // A change that removes, moves or disables an endpoint cancels only some deliveries. The others are cancelled here.
    const orphaned = await findOrphaned(tx, due);
    const reasons = new Map(orphaned.map(({ endpointId, reason }) => [endpointId, reason]));
    for (const [endpointId, reason] of reasons) await cancelPendingOf(tx, [endpointId], reason);
    // Since an email was queued, its receiver may have left, or turned off such emails.
    const unwanted = [...quotas.keys()].some(isLaneOfEmails) ? await cancelUnwanted(tx, due) : [];
    const unsendable = new Set([...orphaned.map(({ id }) => id), ...unwanted]);
    const sendable = due.filter((id) => !unsendable.has(id));
    const deliveries = await leaseDeliveries(tx, sendable, options);
    const owners = new Set(deliveries.map(({ secretOwner }) => secretOwner));
    return { deliveries, secrets: await ensureSecrets(tx, options.sealer, [...owners]) };
  });
}
