import { isDeepStrictEqual } from 'node:util';
import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { readIso, toIso } from '../../base/std/iso-time.ts';
import { AppError, invalidField } from '../../errors.ts';
import { formatMicros } from '../../money/ledger/money.ts';
import { readAmount } from '../../money/ledger/read-amount.ts';
import type { Model } from '../../upstream/catalog/models.ts';
import type { FixedPrice, PriceGroupDefinition } from './price-group.ts';
import {
  insertPriceGroupVersion,
  listPriceGroups,
  listPriceGroupVersions,
  lockPriceGroup,
  renewPriceRevision,
} from './price-group-store.ts';

/** The maximum number of groups: every process keeps all of them in memory, and lists have no pages. */
const maxGroups = 500;
const idPattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const maxFactorMillionths = 10_000_000n;

export interface PriceGroupDeps {
  database: Database;
  catalogue: { list(): readonly Model[] };
}

/** Creates a group or its next version, unless nothing changes. @throws AppError `invalid_request` with a pointer */
export async function savePriceGroup(
  { database, catalogue }: PriceGroupDeps,
  { id, ...wanted }: PriceGroupDefinition & { id: string },
  by: Actor,
): Promise<void> {
  if (!idPattern.test(id))
    throw invalidField('/id', 'must be small letters, digits, dots, hyphens and underscores, at most 64.');
  const definition = checkDefinition(wanted, catalogue);
  await database.transaction(async (tx) => {
    await lockPriceGroup(tx, id);
    const [newest] = await listPriceGroupVersions(tx, id, 1);
    const before = newest?.definition ?? null;
    if (isDeepStrictEqual(before, definition)) return;
    const author = { id: by.personId, name: by.name };
    await insertPriceGroupVersion(tx, { id, version: (newest?.version ?? 0) + 1, definition, author });
    if (!before && (await listPriceGroups(tx)).length > maxGroups)
      throw new AppError('invalid_request', `There are ${maxGroups} price groups already.`);
    await insertAuditEntry(tx, by, {
      ...{ action: before ? 'price_group.changed' : 'price_group.added', accountId: null, subject: id },
      detail: {
        factor: definition.factor,
        prices: definition.prices.length,
        version: (newest?.version ?? 0) + 1,
      },
    });
    await renewPriceRevision(tx);
  });
  database.notify('models');
}

/** Returns the stored form, in which equal definitions have equal text. */
function checkDefinition(
  { name, factor, prices, ...period }: PriceGroupDefinition,
  catalogue: PriceGroupDeps['catalogue'],
): PriceGroupDefinition {
  const millionths = readAmount('/factor', factor);
  if (millionths > maxFactorMillionths)
    throw invalidField('/factor', 'must be at most 10: 0.8 takes 20 % off.');
  const checked = prices.map((one, index) => checkPrice(one, `/prices/${index}`, catalogue));
  for (const [index, one] of checked.entries()) {
    const other = checked.findIndex((earlier, at) => at < index && overlap(earlier, one));
    if (other >= 0) throw invalidField(`/prices/${index}`, `holds at the same time as /prices/${other}.`);
  }
  // "0.80" becomes "0.8".
  const shortest = formatMicros(millionths)
    .replace(/(?<!0)0+$/, '')
    .replace(/\.$/, '');
  return { name, factor: shortest, ...checkPeriod(period, ''), prices: checked };
}

function checkPrice(
  { model: id, resolution, price, ...period }: FixedPrice,
  pointer: string,
  catalogue: PriceGroupDeps['catalogue'],
): FixedPrice {
  const model = catalogue.list().find((one) => one.id === id);
  if (!model) throw invalidField(`${pointer}/model`, `names no model: there is no "${id}".`);
  if (!model.resolutions.has(resolution))
    throw invalidField(
      `${pointer}/resolution`,
      `must be one of ${[...model.resolutions.keys()].join(', ')}.`,
    );
  const micros = readAmount(`${pointer}/price`, price);
  return { model: id, resolution, price: formatMicros(micros), ...checkPeriod(period, pointer) };
}

function checkPeriod({ from, until }: Pick<FixedPrice, 'from' | 'until'>, pointer: string) {
  const period = { from: readTime(from, `${pointer}/from`), until: readTime(until, `${pointer}/until`) };
  if (period.from !== null && period.until !== null && period.from >= period.until)
    throw invalidField(`${pointer}/until`, 'must be after from.');
  return period;
}

function readTime(text: string | null, pointer: string): string | null {
  if (text === null) return null;
  const at = readIso(text);
  if (Number.isNaN(at)) throw invalidField(pointer, 'is no time.');
  return toIso(at);
}

function overlap(one: FixedPrice, other: FixedPrice): boolean {
  const isSame = one.model === other.model && one.resolution === other.resolution;
  // All times have one format, so strings compare like times.
  const endsBefore = ({ until }: FixedPrice, { from }: FixedPrice) =>
    until !== null && from !== null && until <= from;
  return isSame && !endsBefore(one, other) && !endsBefore(other, one);
}
