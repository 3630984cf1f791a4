import Type, { type Static } from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import {
  amount,
  closed,
  day,
  marginGroupsPattern,
  nullable,
  oneOf,
  period,
} from '../../../../base/http/schemas.ts';
import { type MarginAlertDeps, readMarginAlerts } from '../../../../jobs/costs/read-margin-alerts.ts';
import { type Margin, maxMarginDays, readMargins } from '../../../../jobs/read-margins.ts';
import { presentMarginAlert } from '../../../../notify/alerts/alerts-json.ts';
import { marginAlertKinds } from '../../../../notify/alerts/margin-alerts.ts';
import { csv } from '../../csv.ts';
import { installationCall } from '../../installation-call.ts';
import { streamed } from '../../streamed.ts';

const group = (description: string) => Type.Optional(Type.String({ description }));
const name = (description: string) => Type.Optional(nullable(Type.String(), { description }));

const figures = {
  images: Type.Integer(),
  revenue: amount('The revenue: what clients paid.'),
  cost: nullable(amount("The cost of all attempts with a known cost; null if no image's cost is known.")),
  cost_without_revenue: amount(
    'The part of the cost for attempts whose image no client received, because they failed, were cancelled or retried, or made an image twice.',
  ),
  margin: nullable(amount('Revenue less cost.')),
  images_without_cost: Type.Integer({
    description: 'Images with an unknown cost, which count as free.',
  }),
  unknown_attempts: Type.Integer({
    description:
      "Attempts that may have been billed, which only the upstream's bill shows. They count as free.",
  }),
  possible_cost: amount('Their cost if they were billed, as far as it is known.'),
};

export const marginSchema = Type.Object(
  {
    month: group(
      'Such as `2026-11`. A row has this, and the fields up to `provider`, only if grouped by them.',
    ),
    day: group('`2026-11-20`.'),
    account_id: group('Who paid.'),
    account: name('The name of the account.'),
    key_id: group('The key; the id of the account for jobs made in the panel.'),
    key: name('The name of the key; null for jobs made in the panel.'),
    model: group('The id of the model, which may have been removed.'),
    route: group('Empty if it was not recorded.'),
    provider: group('Empty if it was not recorded.'),
    ...figures,
  },
  { title: 'Margin' },
);

const marginAlertSchema = Type.Object(
  {
    model: Type.String(),
    alert: oneOf(marginAlertKinds, { title: 'MarginAlertKind', 'x-open': true }),
    images: Type.Integer({ description: 'The number of images of today and yesterday.' }),
    revenue_per_image: amount('The revenue per image on these days.'),
    cost_per_image: amount('The mean cost of images with a known cost, including failures.'),
    cost_before: nullable(amount('The mean cost in the four weeks before; null if too little is known.')),
  },
  { title: 'MarginAlert' },
);

const filters = closed({
  ...period,
  group_by: Type.Optional(
    Type.String({
      pattern: marginGroupsPattern,
      default: 'model',
      description:
        'The groups: `account`, `key`, `model`, `route`, `provider`, `day` or `month`, or two of them.',
      examples: ['account,month'],
    }),
  ),
});

/** The maximum number of rows in an answer, more than most programs need. The CSV table has all rows. */
const maxRows = 5_000;
const tag = 'Money';

export interface MarginDeps extends MarginAlertDeps {
  database: Database;
  currency: string;
}

export function marginCalls(deps: MarginDeps) {
  const { database, currency } = deps;
  return {
    alerts: installationCall({
      tag,
      operationId: 'listMarginAlerts',
      summary: 'List alerts about margins',
      description:
        'Models that were sold below their cost today and yesterday (UTC), or whose images cost more than in the four weeks before by more than `alerts.costRisePercent` says. Failures count; models with fewer than ten images are left out.',
      reply: Type.Object({ data: Type.Array(marginAlertSchema) }, { title: 'MarginAlertList' }),
      handle: async () => ({ data: (await readMarginAlerts(deps)).map(presentMarginAlert) }),
    }),

    get: installationCall({
      tag,
      operationId: 'getMargins',
      summary: 'Read what was earned',
      description: `Lists captured revenue less the upstream cost of attempts, each on its own day (UTC), over at most ${maxMarginDays} days: newest first, otherwise the largest revenue first. It outlives the jobs.`,
      query: filters,
      reply: Type.Object(
        {
          from: day('The first day.'),
          to: day('The last day, included.'),
          currency: Type.String(),
          data: Type.Array(marginSchema),
          left_out: Type.Integer({
            description: `The number of rows after the first ${maxRows}, which only the table has.`,
          }),
          total: Type.Object(figures, { title: 'MarginTotal' }),
        },
        { title: 'MarginList' },
      ),
      async handle({ query }) {
        const { from, to, rows, total } = await readMargins(database, query);
        const left = { left_out: Math.max(0, rows.length - maxRows) };
        return { from, to, currency, data: rows.slice(0, maxRows), ...left, total };
      },
    }),

    table: installationCall({
      tag,
      operationId: 'downloadMarginTable',
      summary: 'Download margins as a table',
      description: 'CSV of the same.',
      query: filters,
      replyType: 'text/csv',
      reply: streamed,
      async handle({ query }) {
        const { by, rows } = await readMargins(database, query);
        const header = Object.keys(marginSchema.properties) as (keyof Static<typeof marginSchema>)[]; // they are its keys
        const used = header.filter(
          (field) => field in figures || by.some((group) => field.startsWith(group)),
        );
        return csv('margins.csv', used, cellsOf(rows, used));
      },
    }),
  };
}

function* cellsOf(rows: readonly Margin[], fields: readonly (keyof Static<typeof marginSchema>)[]) {
  for (const row of rows as readonly Static<typeof marginSchema>[])
    yield fields.map((field) => row[field] ?? null);
}
