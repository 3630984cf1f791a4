import { isDeepStrictEqual } from 'node:util';
import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { AppError, invalidField } from '../../errors.ts';
import { formatMicros } from '../../money/ledger/money.ts';
import { readAmount } from '../../money/ledger/read-amount.ts';
import { insertOwnRate, listOwnRates, renewRatesRevision } from './own-rate-store.ts';
import { type Rates, type RateUnit, rateUnits } from './rates.ts';

/** The maximum number of versions: every process has them in memory, and the API lists them on one page. */
const maxVersions = 5_000;

interface WantedRate {
  provider: string;
  model: string;
  rates: Rates | null;
  reported: readonly RateUnit[];
}

/**
 * Saves an operator's rates, which apply to attempts that end from now on. Null restores the vendor's rates.
 * @throws AppError `invalid_request`
 */
export async function saveOwnRate(
  database: Database,
  { provider, model, rates: wanted, reported }: WantedRate,
  by: Actor,
): Promise<void> {
  if (reported.length === 0)
    throw invalidField('/provider', 'does not report usage in its answers: give its routes a cost.');
  const rates = wanted && inOrder(wanted);
  if (rates && Object.keys(rates).length === 0) throw invalidField('/rates', 'must name at least one rate.');
  const other = rateUnits.find((unit) => rates?.[unit] !== undefined && !reported.includes(unit));
  // A rate for a unit that is never reported would never apply. If it were the only rate, every cost would be unknown.
  if (other)
    throw invalidField(
      `/rates/${other}`,
      `is not reported by ${provider}, which reports ${reported.join(', ')}.`,
    );
  await database.transaction(async (tx) => {
    // Writing the revision first makes concurrent changes wait before they read the newest version.
    await renewRatesRevision(tx);
    const all = await listOwnRates(tx);
    const before = all.find((one) => one.provider === provider && one.model === model);
    if (isDeepStrictEqual(before?.rates ?? null, rates)) return;
    if (all.length >= maxVersions)
      throw new AppError('invalid_request', `Rates were changed ${maxVersions} times already.`);
    const author = { id: by.personId, name: by.name };
    await insertOwnRate(tx, { provider, model, version: (before?.version ?? 0) + 1, rates, author });
    await insertAuditEntry(tx, by, {
      ...{ action: 'rate.changed', accountId: null, subject: `${provider} ${model}` },
      detail: { from: sayRates(before?.rates), to: sayRates(rates) },
    });
  });
  database.notify('models');
}

function sayRates(rates: Rates | null | undefined): string | null {
  if (!rates) return null;
  return Object.entries(rates)
    .map(([unit, rate]) => `${unit} ${rate}`)
    .join(', ');
}

function inOrder(rates: Rates): Rates {
  const given = rateUnits.flatMap((unit) => {
    const { [unit]: rate } = rates;
    return rate === undefined ? [] : [[unit, formatMicros(readAmount(`/rates/${unit}`, rate))]];
  });
  return Object.fromEntries(given);
}
