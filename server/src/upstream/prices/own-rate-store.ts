import { randomUUID } from 'node:crypto';
import { nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { settingOf, writeSetting } from '../../base/db/settings-store.ts';
import type { Rates } from './rates.ts';

export interface OwnRate {
  provider: string;
  model: string;
  version: number;
  /** Null to return to the vendor's published rates. */
  rates: Rates | null;
  author: { id: string | null; name: string };
  createdAt: number;
  isNewest: boolean;
}

export async function listOwnRates(queries: Queries): Promise<OwnRate[]> {
  const rows = await queries
    .selectFrom('own_rates')
    .selectAll()
    .orderBy('provider')
    .orderBy('model')
    .orderBy('version', 'desc')
    .execute();
  return rows.map((row, index) => ({
    ...{ provider: row.provider, model: row.model, version: row.version },
    rates: row.rates === null ? null : (JSON.parse(row.rates) as Rates), // checked before the write
    ...{ author: { id: row.author_id, name: row.author_name }, createdAt: row.created_at },
    isNewest: rows[index - 1]?.provider !== row.provider || rows[index - 1]?.model !== row.model,
  }));
}

export async function insertOwnRate(
  tx: Tx,
  { provider, model, version, rates, author }: Omit<OwnRate, 'createdAt' | 'isNewest'>,
): Promise<void> {
  await tx
    .insertInto('own_rates')
    .values({
      ...{ provider, model, version, rates: rates && JSON.stringify(rates) },
      ...{ author_id: author.id, author_name: author.name, created_at: nowMs },
    })
    .execute();
}

const revision = 'own_rates_revision';

/** A value that changes with every change of rates, in any process. */
export const ratesRevision = settingOf(revision);

/** Writes a new revision. Concurrent changes of rates wait for this transaction. */
export async function renewRatesRevision(tx: Tx): Promise<void> {
  await writeSetting(tx, revision, randomUUID());
}
