import Type, { type Static } from 'typebox';
import { closed, nullable, nullableOneOf, oneOf, time } from '../../../../base/http/schemas.ts';
import { toIsoOrNull } from '../../../../base/std/iso-time.ts';
import {
  amountOf,
  atTime,
  endOf,
  type Limit,
  type Meter,
  meters,
  wordOf,
} from '../../../../money/limits/limit.ts';

const words = Object.values(wordOf) as (typeof wordOf)[Meter][]; // the values of all its keys
const amountOrCount = (description: string) =>
  nullable(Type.String({ examples: ['5.00', '40'] }), { description });

const kind = {
  limit: oneOf(words, { title: 'LimitName' }),
  unit: oneOf(['money', 'jobs', 'bytes', 'requests'], { title: 'LimitUnit' }),
  per: nullableOneOf(['second', 'minute', 'hour', 'day', 'month'], {
    title: 'LimitPer',
    description: 'The period in which it counts; null: at any one time, or in total.',
  }),
};

export const limitSchema = Type.Object(
  {
    ...kind,
    most: amountOrCount(
      'A decimal amount of money, or a whole number of jobs, bytes or requests. Null: a default was lifted.',
    ),
    is_lifted: Type.Boolean({
      description: "True if it is unlimited, whatever the installation's default is.",
    }),
    is_default: Type.Boolean({ description: "True if it is the installation's default." }),
    used: amountOrCount('The use so far; null for limits on requests.'),
    resets_at: nullable(time('The time at which counting starts again; null: never.')),
  },
  { title: 'Limit' },
);

export const limitList = Type.Object(
  {
    data: Type.Array(limitSchema, { description: 'The limits that are set.' }),
    unset: Type.Array(Type.Object(kind, { title: 'UnsetLimit' }), {
      description: 'The limits that are not set.',
    }),
  },
  { title: 'LimitList' },
);
export type LimitListJson = Static<typeof limitList>;

const counted: Record<Meter, Pick<Static<typeof limitSchema>, 'unit' | 'per'>> = {
  hour: { unit: 'money', per: 'hour' },
  day: { unit: 'money', per: 'day' },
  month: { unit: 'money', per: 'month' },
  total: { unit: 'money', per: null },
  open: { unit: 'jobs', per: null },
  waiting: { unit: 'jobs', per: null },
  running: { unit: 'jobs', per: null },
  input: { unit: 'bytes', per: 'day' },
  second: { unit: 'requests', per: 'second' },
  minute: { unit: 'requests', per: 'minute' },
};

export function presentLimits(limits: readonly Limit[], nowMs: number): LimitListJson {
  const unset = meters.filter((meter) => !limits.some((limit) => limit.meter === meter));
  return {
    data: limits.map((limit) => presentLimit(limit, nowMs)),
    unset: unset.map((meter) => ({ limit: wordOf[meter], ...counted[meter] })),
  };
}

function presentLimit(limit: Limit, nowMs: number): Static<typeof limitSchema> {
  const { meter, most, isDefault, used, startsAt } = atTime(limit, nowMs);
  return {
    limit: wordOf[meter],
    ...counted[meter],
    most: most === null ? null : String(amountOf(meter, most)),
    is_lifted: most === null,
    is_default: isDefault,
    // Requests are counted only within the current second or minute, so there is no count worth showing.
    used: counted[meter].unit === 'requests' ? null : String(amountOf(meter, used)),
    resets_at: toIsoOrNull(endOf({ meter, startsAt })),
  };
}

// Every client can read numbers up to this limit exactly.
const mostCounted = Number.MAX_SAFE_INTEGER;
const moneyLimit = (description: string) =>
  Type.Optional(nullable(Type.String({ maxLength: 20 }), { description, examples: ['5.00', 'default'] }));
const countLimit = (description: string) =>
  Type.Optional(
    Type.Unsafe<number | 'default' | null>({
      anyOf: [
        { type: 'integer', minimum: 1, maximum: mostCounted },
        { type: ['string', 'null'], enum: ['default', null], title: 'DefaultLimit' },
      ],
      description,
    }),
  );

export const limitChanges = closed(
  {
    spend_hour: moneyLimit('The most that jobs may cost per hour (UTC).'),
    spend_day: moneyLimit('The most that jobs may cost per day (UTC).'),
    spend_month: moneyLimit('The most that jobs may cost per month (UTC).'),
    spend_total: moneyLimit('The most that jobs may cost in total.'),
    open: countLimit('The maximum number of jobs that wait or run.'),
    waiting: countLimit('The maximum number of waiting jobs.'),
    running: countLimit('The maximum number of jobs that run at once.'),
    input_bytes_day: countLimit('The maximum number of bytes of input images per day.'),
    requests_second: countLimit('The maximum number of requests per second.'),
    requests_minute: countLimit('The maximum number of requests per minute.'),
  },
  {
    title: 'LimitChanges',
    description: "Null for no limit, `default` for the installation's.",
  },
);
