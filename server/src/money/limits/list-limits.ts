import type { Queries } from '../../base/db/schema.ts';
import {
  defaultOf,
  type Limit,
  type LimitDefaults,
  type Meter,
  meters,
  type Payer,
  type Subject,
  startOf,
  toldNothing,
} from './limit.ts';
import { measureUses, readLimits } from './limit-store.ts';

interface Asked<Of extends Meter> {
  subjects: readonly Subject[];
  of: readonly Of[];
  defaults: LimitDefaults;
  nowMs: number;
}

/** Applies the installation's defaults. Counts waiting and running jobs, and sums up jobs for limits without a row. */
export async function underDefaults<Of extends Meter>(
  queries: Queries,
  stored: readonly Limit<Of>[],
  { subjects, of, defaults, nowMs }: Asked<Of>,
): Promise<Limit<Of>[]> {
  const isStored = (subject: Subject, meter: Of) =>
    stored.some((limit) => limit.meter === meter && limit.subject.id === subject.id);
  const missing = subjects.flatMap((subject) =>
    of
      .filter((meter) => defaultOf(defaults, subject, meter) !== null && !isStored(subject, meter))
      .map((meter) => ({
        subject,
        meter,
        isDefault: true,
        used: 0n,
        startsAt: startOf(meter, nowMs),
        told: toldNothing,
      })),
  );
  const limits = [
    ...stored.map((limit) => (limit.isDefault ? withDefault(limit, defaults) : limit)),
    ...missing.map((limit) => withDefault(limit, defaults)),
  ];
  const isCounted = ({ meter, most }: Limit, index: number) =>
    index >= stored.length || (isPresent(meter) && most !== null);
  const counted = limits.filter(isCounted);
  const uses = await measureUses(queries, counted);
  const useOf = new Map(counted.map((limit, index) => [limit, uses[index]]));
  return limits.map((limit) => ({ ...limit, used: useOf.get(limit) ?? limit.used }));
}

/** Whether `underDefaults` would change anything. */
export function isIncomplete(stored: readonly Limit[], defaults: LimitDefaults): boolean {
  const hasDefaults = Object.keys({ ...defaults.account, ...defaults.key }).length > 0;
  return hasDefaults || stored.some(({ meter, isDefault }) => isDefault || isPresent(meter));
}

/** Whether a meter's use is counted when it is read, instead of being updated with each job. */
function isPresent(meter: Meter): boolean {
  return meter === 'waiting' || meter === 'running';
}

function withDefault<Of extends Meter>(limit: Omit<Limit<Of>, 'most'>, defaults: LimitDefaults): Limit<Of> {
  return { ...limit, most: defaultOf(defaults, limit.subject, limit.meter) };
}

export async function listLimits(
  queries: Queries,
  subjects: readonly Subject[],
  { defaults, nowMs }: { defaults: LimitDefaults; nowMs: number },
): Promise<Limit[]> {
  const ids = subjects.map(({ id }) => id);
  const stored = await readLimits(queries, ids, meters);
  const limits = await underDefaults(queries, stored, { subjects, of: meters, defaults, nowMs });
  return limits
    .filter(({ isDefault, most }) => !isDefault || most !== null)
    .sort((one, other) => meters.indexOf(one.meter) - meters.indexOf(other.meter));
}

/** Lists the payers' accounts and keys. Only these can have default limits. */
export function subjectsOf(payers: readonly Payer[]): Subject[] {
  const subjects = new Map<string, Subject>();
  for (const { accountId } of payers) subjects.set(accountId, { kind: 'account', id: accountId });
  for (const { keyId } of payers) if (!subjects.has(keyId)) subjects.set(keyId, { kind: 'key', id: keyId });
  return [...subjects.values()];
}
