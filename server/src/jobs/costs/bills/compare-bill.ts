import type { Bill, BillLine } from '../../../upstream/bills/bill.ts';
import { matchModel } from '../../../upstream/bills/match-model.ts';
import { hourMs, type NotedHour } from './bill-store.ts';

export const differences = ['not_on_bill', 'not_noted', 'count', 'amount'] as const;
export type Difference = (typeof differences)[number];

export type Noted = Omit<NotedHour, 'hour' | 'upstreamModel'>;

export interface Compared {
  day: number;
  upstreamModel: string;
  billed: Pick<BillLine, 'count' | 'micros' | 'slackMicros'> | undefined;
  noted: Noted;
  differs: Difference[];
}

export interface Comparison {
  compared: Compared[];
  /** Bill lines for models without attempts. Other installations may have used them. */
  unmatched: BillLine[];
}

/** Compares a bill with our records by day, in the bill's time zone. Pure. */
export function compareBill(
  bill: Pick<Bill, 'lines' | 'timeZone' | 'inWords'>,
  hours: readonly NotedHour[],
  { first, last }: { first: number; last: number },
): Comparison {
  const asked = [...new Set(hours.map(({ upstreamModel }) => upstreamModel))];
  const days = Map.groupBy(hours, ({ hour, upstreamModel }) =>
    keyOf(dayOf(hour, bill.timeZone), upstreamModel),
  );
  const match = matchModel(asked, bill);
  const found = new Map<string, BillLine[]>();
  const unmatched: BillLine[] = [];
  const isAsked = ({ day }: { day: number }) => day >= first && day <= last;
  for (const line of bill.lines.filter(isAsked)) {
    const model = match(line.model);
    const key = model !== undefined && keyOf(line.day, model);
    if (key === false) unmatched.push(line);
    else if (!found.get(key)?.push(line)) found.set(key, [line]);
  }
  const compared = [...new Set([...days.keys(), ...found.keys()])].map((key) => {
    const { day, upstreamModel } = partsOf(key);
    const billed = sumLines(found.get(key));
    const noted = sumNoted(days.get(key));
    return { day, upstreamModel, billed, noted, differs: differencesOf(billed, noted) };
  });
  const inOrder = compared
    .filter(isAsked)
    .toSorted((one, other) => one.day - other.day || (one.upstreamModel < other.upstreamModel ? -1 : 1));
  return { compared: inOrder, unmatched };
}

function keyOf(day: number, model: string): string {
  return `${day} ${model}`;
}

function partsOf(key: string): { day: number; upstreamModel: string } {
  const space = key.indexOf(' ');
  return { day: Number(key.slice(0, space)), upstreamModel: key.slice(space + 1) };
}

function differencesOf(billed: Compared['billed'], noted: Noted): Difference[] {
  if (!billed) return noted.billed > 0 ? ['not_on_bill'] : [];
  if (noted.billed + noted.unknown === 0)
    return billed.count === 0 || billed.micros === 0n ? [] : ['not_noted'];
  const { count, micros } = billed;
  const slack = slackOf(billed, noted);
  // Unknown attempts may all have been charged, and attempts without a cost have no upper bound.
  const most = noted.unpriced + noted.uncosted > 0 ? null : noted.costMicros + noted.possibleMicros + slack;
  const differs: Difference[] = [];
  if (count !== null && (count < noted.billed || count > noted.billed + noted.unknown)) differs.push('count');
  if (micros !== null && (micros < noted.costMicros - slack || (most !== null && micros > most)))
    differs.push('amount');
  return differs;
}

/** The difference that rounding may cause: recorded costs are whole micro-units, but a bill rounds only sums. */
function slackOf({ slackMicros }: NonNullable<Compared['billed']>, noted: Noted): bigint {
  return slackMicros + BigInt(noted.billed + noted.unknown + 1) / 2n;
}

function sumLines(lines: readonly NonNullable<Compared['billed']>[] | undefined): Compared['billed'] {
  return lines?.reduce(({ count, micros, slackMicros }, other) => ({
    count: count === null ? other.count : count + (other.count ?? 0),
    micros: micros === null ? other.micros : micros + (other.micros ?? 0n),
    slackMicros: slackMicros + other.slackMicros,
  }));
}

const nothing: Noted = {
  ...{ billed: 0, costMicros: 0n, uncosted: 0, unknown: 0, possibleMicros: 0n, unpriced: 0 },
};

function sumNoted(all: readonly Noted[] = []): Noted {
  return all.reduce(
    (sum, one) => ({
      billed: sum.billed + one.billed,
      costMicros: sum.costMicros + one.costMicros,
      uncosted: sum.uncosted + one.uncosted,
      unknown: sum.unknown + one.unknown,
      possibleMicros: sum.possibleMicros + one.possibleMicros,
      unpriced: sum.unpriced + one.unpriced,
    }),
    nothing,
  );
}

const hoursADay = 24;
const formats = new Map<string, Intl.DateTimeFormat>();

/** The day, counted since the epoch, of an hour in this time zone. */
export function dayOf(hour: number, timeZone: string): number {
  if (timeZone === 'UTC') return Math.floor(hour / hoursADay);
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-CA', { timeZone });
  formats.set(timeZone, format);
  return Date.parse(format.format(hour * hourMs)) / (hoursADay * hourMs);
}
