import type { Database } from '../../../base/db/database.ts';
import { readNow } from '../../../base/db/rows.ts';
import { toIso } from '../../../base/std/iso-time.ts';
import { AppError } from '../../../errors.ts';
import { formatMicros } from '../../../money/ledger/money.ts';
import type { Bill, BillLine } from '../../../upstream/bills/bill.ts';
import { readBill } from '../../../upstream/bills/read-bill.ts';
import { reportedCurrency } from '../../../upstream/providers/provider.ts';
import { billFormats } from '../../../upstream/providers/providers.ts';
import { type Days, dayMs, readDays, toDay } from '../../read-days.ts';
import { keptCostDays } from '../attempt-cost-store.ts';
import { hourMs, listSuspects, type Moment, noteHours, type Suspect, type Times } from './bill-store.ts';
import { type Compared, compareBill, dayOf } from './compare-bill.ts';

/** Limits on differences, on attempts per difference, and on unmatched models: more than anyone reads. */
const maxDifferences = 100;
const maxAttempts = 20;
const maxUnmatched = 100;
/** The largest offset of a time zone from UTC. */
const zoneMs = 14 * hourMs;

/** Compares a vendor's charges with the recorded attempts, by day and model. @throws AppError `invalid_request` */
export async function checkBill(
  { database: { reports }, currency }: { database: Pick<Database, 'reports'>; currency: string },
  { file, ...asked }: Days & { file: string },
) {
  const { format, bill } = await readBill(file, billFormats);
  const { provider, title } = format;
  const days = await readPeriod({ reports }, asked, bill.lines);
  const billCurrency = bill.currency ?? reportedCurrency;
  const otherCurrency = billCurrency === currency ? null : billCurrency;
  const compareBy = async (moment: Moment) => {
    const hours = await noteHours(reports, { provider, otherCurrency, moment }, timesAround(days));
    const comparison = compareBill(bill, hours, days);
    return {
      ...comparison,
      moment,
      differing: comparison.compared.filter(({ differs }) => differs.length > 0),
    };
  };
  // Vendors do not say whether an attempt across midnight counts when it starts or ends. The closer choice is kept.
  const [byEnd, byBegin] = [await compareBy('end'), await compareBy('begin')];
  const closest = byBegin.differing.length < byEnd.differing.length ? byBegin : byEnd;
  const { compared, differing, moment, unmatched } = closest;
  const shown = differing.slice(0, maxDifferences);
  const suspects: Suspect[][] = [];
  for (const one of shown) {
    const which = { moment, provider, upstreamModel: one.upstreamModel, ...offOf(one) };
    suspects.push(await listSuspects(reports, { ...timesOf(one.day, bill.timeZone), ...which }, maxAttempts));
  }
  return {
    ...{ format: title, provider, currency: billCurrency, time_zone: bill.timeZone },
    ...{ from: toDay(days.first), to: toDay(days.last) },
    agreed: compared.length - differing.length,
    differences: shown.map((one, index) => presentDifference(one, suspects[index] ?? [], currency)),
    left_out: differing.length - shown.length,
    unmatched: sumByModel(unmatched).slice(0, maxUnmatched),
  };
}

/** Returns the days to compare: by default, from the day of the bill's first line to that of its last. */
async function readPeriod(
  { reports }: Pick<Database, 'reports'>,
  { from, to }: Days,
  lines: readonly BillLine[],
): Promise<{ first: number; last: number }> {
  const named = { from: toDay(lines[0]?.day ?? 0), to: toDay(lines.at(-1)?.day ?? 0) };
  const nowMs = await readNow(reports);
  const days = readDays(
    { from: from ?? named.from, to: to ?? named.to },
    { nowMs, maxDays: keptCostDays, inBody: true },
  );
  if (days.first * dayMs >= nowMs - keptCostDays * dayMs) return days;
  const [what, pointer] = from === undefined ? ['The bill', '/file'] : ['The period', '/from'];
  const detail = `begins on ${toDay(days.first)}, and costs of attempts are kept for ${keptCostDays} days.`;
  throw new AppError('invalid_request', `${what} ${detail}`, { errors: [{ pointer, detail }] });
}

function timesAround({ first, last }: { first: number; last: number }): Times {
  return { fromMs: first * dayMs - zoneMs, toMs: (last + 1) * dayMs + zoneMs };
}

function timesOf(day: number, timeZone: Bill['timeZone']): Times {
  const around = timesAround({ first: day, last: day });
  const hours = Array.from(
    { length: (around.toMs - around.fromMs) / hourMs },
    (_, index) => around.fromMs / hourMs + index,
  ).filter((hour) => dayOf(hour, timeZone) === day);
  return { fromMs: (hours[0] ?? 0) * hourMs, toMs: ((hours.at(-1) ?? 0) + 1) * hourMs };
}

function offOf({ billed, noted }: Compared): { offMicros: bigint; isMore: boolean } {
  const offMicros = (billed?.micros ?? (billed ? noted.costMicros : 0n)) - noted.costMicros;
  const isMore = billed?.count != null ? billed.count > noted.billed : offMicros > 0n;
  return { offMicros, isMore };
}

function presentDifference(
  { day, upstreamModel, billed, noted, differs }: Compared,
  suspects: readonly Suspect[],
  currency: string,
) {
  return {
    ...{ day: toDay(day), upstream_model: upstreamModel, differs },
    bill: billed ? { count: billed.count, amount: amountOf(billed.micros) } : null,
    noted: {
      ...{ count: noted.billed, amount: formatMicros(noted.costMicros), without_cost: noted.uncosted },
      ...{ unknown_attempts: noted.unknown, possible_cost: formatMicros(noted.possibleMicros) },
    },
    attempts: suspects.map((one) => ({
      ...{ job_id: one.jobId, attempt: one.attempt, account_id: one.accountId, billed: one.billed },
      ended_at: toIso(one.endedAt),
      cost: amountOf(one.costMicros),
      possible_cost: amountOf(one.possibleMicros),
      currency: one.currency ?? currency,
    })),
  };
}

function sumByModel(lines: readonly BillLine[]) {
  return [...Map.groupBy(lines, ({ model }) => model)].map(([model, own]) => ({
    model,
    count: own.some(({ count }) => count !== null)
      ? own.reduce((sum, { count }) => sum + (count ?? 0), 0)
      : null,
    amount: own.some(({ micros }) => micros !== null)
      ? formatMicros(own.reduce((sum, { micros }) => sum + (micros ?? 0n), 0n))
      : null,
  }));
}

function amountOf(micros: bigint | null): string | null {
  return micros === null ? null : formatMicros(micros);
}
