import Type, { type Static } from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import { amount, amountGiven, closed, day, nullable, oneOf, time } from '../../../../base/http/schemas.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import { formatMicros, parseMicros } from '../../../../money/ledger/money.ts';
import { listOwnRates, type OwnRate } from '../../../../upstream/prices/own-rate-store.ts';
import { listed, type Rates, type RateUnit, rateUnits } from '../../../../upstream/prices/rates.ts';
import { saveOwnRate } from '../../../../upstream/prices/save-own-rate.ts';
import { reportedCurrency } from '../../../../upstream/providers/provider.ts';
import { listReported, reportedUnits } from '../../../../upstream/providers/providers.ts';
import { installationCall } from '../../installation-call.ts';
import { authorSchema, presentAuthor } from '../audit/author-json.ts';

const words: Record<RateUnit, string> = {
  text_in: 'The price per million text tokens in requests.',
  image_in: 'The price per million image tokens in requests.',
  text_out: 'The price per million text tokens in answers, including thoughts.',
  image_out: 'The price per million image tokens in answers.',
  image: 'The price per image.',
  unit: 'The price per unit by which the provider bills the model, such as an image or a megapixel at fal.',
  credit: 'The price per credit of the provider.',
};

type Each<Of> = { [Unit in RateUnit]: Of };
/** Keeps the types of the keys, which `Object.fromEntries` loses. */
const each = <Of>(of: (unit: RateUnit) => Of) =>
  Object.fromEntries(rateUnits.map((unit) => [unit, of(unit)])) as Each<Of>;

const rateSchema = Type.Object(
  {
    provider: Type.String(),
    model: nullable(Type.String(), { description: "The provider's own name of the model; null: any." }),
    ...each((unit) => nullable(amount(words[unit]))),
    currency: Type.String(),
    in_use: Type.Boolean({ description: 'Whether this rate is used now.' }),
    source: nullable(Type.String(), {
      description: 'The page with the published rate; null for your own.',
    }),
    gateway: nullable(Type.String(), {
      description: 'The gateway whose price list has the rate; null if the vendor publishes it.',
    }),
    read_on: nullable(day('The day on which the published rate was read.')),
    changed_at: nullable(time('When an operator set it.')),
    changed_by: nullable(Type.String()),
    author: nullable(authorSchema),
  },
  { title: 'Rate' },
);

const ownRateRequest = closed(
  {
    provider: Type.String({ maxLength: 100, examples: ['openai'] }),
    model: Type.String({ minLength: 1, maxLength: 200, examples: ['gpt-image-2'] }),
    rates: nullable(
      closed(
        each((unit) => Type.Optional(amountGiven(words[unit]))),
        { title: 'NewRates' },
      ),
      { description: 'Null: the published rate.' },
    ),
  },
  { title: 'NewRate' },
);

const reportSchema = Type.Object(
  {
    provider: Type.String(),
    name: Type.String({ description: 'The name for people.' }),
    units: Type.Array(oneOf(rateUnits, { title: 'RateUnit' })),
  },
  {
    title: 'ReportedUnits',
    description: 'The units in which a provider reports usage, and which its rates can have.',
  },
);

const rateList = Type.Object(
  { data: Type.Array(rateSchema), reported: Type.Array(reportSchema) },
  { title: 'RateList' },
);

export interface RateDeps {
  database: Database;
  currency: string;
  followChanges(): Promise<void>;
}

const tag = 'Money';

export function rateCalls({ database, currency, followChanges }: RateDeps) {
  const list = async () => ({
    data: presentRates(await listOwnRates(database.read), currency),
    reported: listReported(),
  });
  return {
    list: installationCall({
      tag,
      operationId: 'listRates',
      summary: 'List what providers charge',
      description:
        "Lists the rates that price the usage in answers, where the route has no `cost`: published ones, each with its source and the day when it was read, then operators' own, newest first for each model. Models that are not listed have no rate that could be verified.",
      reply: rateList,
      handle: list,
    }),

    save: installationCall({
      tag,
      operationId: 'saveRate',
      summary: 'Set your own rate for a model',
      description:
        "Sets your own rate, in the installation's currency, in place of the published one: for a contract, or for a model that is not listed. It applies to attempts that end from now on, including running ones, within a second on every process. Recorded costs do not change. Earlier rates are kept.",
      body: ownRateRequest,
      reply: rateList,
      async handle({ body, by }) {
        await saveOwnRate(database, { ...body, reported: reportedUnits(body.provider) }, by);
        await followChanges();
        return list();
      },
    }),
  };
}

function presentRates(own: readonly OwnRate[], currency: string): Static<typeof rateSchema>[] {
  const isReplaced = (provider: string, model: string | null) =>
    own.some((one) => one.isNewest && one.rates && one.provider === provider && one.model === model);
  const published = listed.flatMap(({ providers, models, rates, ...source }) =>
    providers.flatMap((provider) =>
      (models ?? [null]).map((model) => {
        const isInUse = !isReplaced(provider, model);
        return presentRate({ provider, model, rates, isInUse, currency: reportedCurrency }, { source });
      }),
    ),
  );
  const said = own.map((one) => {
    const isInUse = one.isNewest && one.rates !== null;
    return presentRate({ ...one, rates: one.rates ?? {}, isInUse, currency }, { change: one });
  });
  return [...published, ...said];
}

interface Shown extends Pick<OwnRate, 'provider'> {
  model: string | null;
  rates: Rates;
  currency: string;
  isInUse: boolean;
}

interface Origin {
  source?: { source: string; gateway?: string; read: string };
  change?: Pick<OwnRate, 'author' | 'createdAt'>;
}

function presentRate(
  { provider, model, rates, currency, isInUse }: Shown,
  { source, change }: Origin,
): Static<typeof rateSchema> {
  return {
    ...{ provider, model, currency },
    text_in: amountOf(rates.text_in),
    image_in: amountOf(rates.image_in),
    text_out: amountOf(rates.text_out),
    image_out: amountOf(rates.image_out),
    image: amountOf(rates.image),
    unit: amountOf(rates.unit),
    credit: amountOf(rates.credit),
    in_use: isInUse,
    source: source?.source ?? null,
    gateway: source?.gateway ?? null,
    read_on: source?.read ?? null,
    changed_at: change ? toIso(change.createdAt) : null,
    changed_by: change?.author.name ?? null,
    author: change ? presentAuthor(change.author) : null,
  };
}

function amountOf(rate: string | undefined): string | null {
  const micros = parseMicros(rate ?? '');
  return micros === undefined ? null : formatMicros(micros);
}
