import { setImmediate } from 'node:timers/promises';
import type { Bill, BilledRow, BillFormat, BillLine, Cell } from './bill.ts';
import { readTables, type Table } from './read-table.ts';
import { unreadable } from './unreadable.ts';

const dayMs = 24 * 60 * 60_000;
/** The decimal places to read: some vendors bill amounts below a millionth of a dollar. */
const places = 12;
const perMicro = 10n ** BigInt(places - 6);
const maxFactLength = 40;
const maxModelLength = 300;
/** The largest number of images or units of money in a line, so that sums fit both databases' integers. */
const maxNumber = 1_000_000_000;
/** The number of rows to read before other work gets a turn. Reading them takes a few milliseconds. */
const rowsAtOnce = 2_000;
const lastMs = 253_402_300_799_999;

/** @throws AppError `invalid_request` that describes the mistake */
export async function readBill<Format extends BillFormat>(
  text: string,
  formats: readonly Format[],
): Promise<{ format: Format; bill: Bill }> {
  for (const table of readTables(text)) {
    const format = formats.find(({ signs }) =>
      signs.every((names) => names.some((name) => table.heads.has(name))),
    );
    if (format) return { format, bill: await readRows(table, format) };
  }
  throw unreadable(
    `is none of the bills that are known here: ${formats.map(({ title }) => title).join('; ')}. See the guide of models`,
  );
}

interface Sum {
  day: number;
  model: string;
  count: number | null;
  amount: bigint | null;
  rows: number;
}

async function readRows({ rows }: Table, format: BillFormat): Promise<Bill> {
  const sums = new Map<string, Sum>();
  const currencies = new Set<string>();
  let mostPlaces = 2;
  let timeZone: Bill['timeZone'] = 'UTC';
  let read = 0;
  for (const row of rows) {
    if (++read % rowsAtOnce === 0) await setImmediate();
    const cell: Cell = (...names) => names.map(row).find((text) => text);
    const billed = format.read(cell);
    if (billed?.from === undefined || billed.model === undefined) continue;
    assertShort(billed);
    const { day, isDate } = readTime(billed);
    if (isDate) timeZone = format.timeZone;
    const amount = readAmount(billed.amount);
    mostPlaces = Math.max(mostPlaces, amount?.places ?? 0);
    if (billed.currency !== undefined) currencies.add(billed.currency.toUpperCase());
    const count = billed.count === undefined ? null : readCount(billed.count);
    const key = `${day} ${billed.model}`;
    const sum = sums.get(key) ?? { day, model: billed.model, count: null, amount: null, rows: 0 };
    sums.set(key, {
      ...sum,
      count: count === null ? sum.count : (sum.count ?? 0) + count,
      amount: amount === undefined ? sum.amount : (sum.amount ?? 0n) + amount.value,
      rows: sum.rows + 1,
    });
  }
  if (sums.size === 0) throw unreadable('has no line with a day and a model');
  if (currencies.size > 1) throw unreadable(`has amounts in ${[...currencies].slice(0, 3).join(' and ')}`);
  const step = format.isRounded ? 10n ** BigInt(places - Math.min(mostPlaces, places)) : 1n;
  const [currency = null] = currencies;
  const { title, inWords } = format;
  return {
    ...{ title, timeZone, currency, ...(inWords && { inWords }) },
    lines: [...sums.values()]
      .map((sum) => lineOf(sum, step))
      .toSorted((one, other) => one.day - other.day || (one.model < other.model ? -1 : 1)),
  };
}

/** Limits the length of texts, because a number with a million digits would take a minute to read. */
function assertShort({ model = '', ...facts }: BilledRow): void {
  const longest = Math.max(...Object.values(facts).map((text: string | undefined) => text?.length ?? 0));
  if (longest > maxFactLength)
    throw unreadable(`has ${longest} characters where a day, a number or a currency should be`);
  if (model.length > maxModelLength)
    throw unreadable(`has a model with a name of ${model.length} characters`);
}

function lineOf({ day, model, count, amount, rows }: Sum, step: bigint): BillLine {
  const micros = amount === null ? null : roundedBy(amount, perMicro);
  return { day, model, count, micros, slackMicros: (BigInt(rows) * step) / (2n * perMicro) };
}

function roundedBy(value: bigint, unit: bigint): bigint {
  return value < 0n ? -((-value + unit / 2n) / unit) : (value + unit / 2n) / unit;
}

/** Reads the day of a row, in UTC if the row has a time. */
function readTime({ from = '', until }: BilledRow): { day: number; isDate: boolean } {
  const start = parseTime(from);
  const end = until === undefined ? undefined : parseTime(until);
  if (!start) throw unreadable(`has “${from}” where a day should be`);
  // A line for one day ends on that day in some files, on the next in others.
  if (end && end.ms - start.ms > dayMs) throw unreadable('has lines of more than one day: export it by day');
  return { day: Math.floor(start.ms / dayMs), isDate: start.isDate };
}

function parseTime(text: string): { ms: number; isDate: boolean } | undefined {
  if (/^\d{9,11}$/.test(text)) return { ms: Number(text) * 1000, isDate: false };
  const [, month = '', date = '', year = ''] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})/.exec(text) ?? [];
  const iso = year ? `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}` : text;
  const isDate = /^\d{4}-\d\d-\d\d$/.test(iso);
  const time = iso.replace(/ UTC$/, 'Z').replace(' ', 'T');
  const ms = Date.parse(isDate ? iso : /(Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`);
  return ms >= 0 && ms <= lastMs ? { ms, isDate } : undefined;
}

function readCount(text: string): number {
  const count = Number(withoutThousands(text));
  if (Math.abs(count) <= maxNumber) return Math.round(count);
  throw unreadable(`has “${text}” where a number should be`);
}

/** Removes thousands separators. Refuses decimal commas, whose removal would make amounts a hundred times too large. */
function withoutThousands(text: string): string {
  const plain = text.replaceAll(/[\s$€£]/g, '');
  if (/,(?!\d{3}(?!\d))/.test(plain))
    throw unreadable(`has “${text}”: export it with decimal points, not with decimal commas`);
  return plain.replaceAll(',', '');
}

function readAmount(text: string | undefined): { value: bigint; places: number } | undefined {
  if (text === undefined) return undefined;
  const plain = withoutThousands(text);
  const written = /e/i.test(plain) ? Number(plain).toFixed(places) : plain;
  const [, sign, units = '', fraction = ''] = /^(-?)(\d*)(?:\.(\d*))?$/.exec(written) ?? [];
  if (sign === undefined || units + fraction === '' || Number(units) > maxNumber)
    throw unreadable(`has “${text}” where an amount should be`);
  const value = BigInt(units + fraction.padEnd(places, '0').slice(0, places));
  return { value: sign === '-' ? -value : value, places: fraction.length };
}
