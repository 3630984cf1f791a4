import Type, { type Static } from 'typebox';
import { maxNameLength } from '../../../../accounts/name.ts';
import type { PriceGroupDefinition } from '../../../../accounts/price-groups/price-group.ts';
import type { PriceGroup, PriceGroupVersion } from '../../../../accounts/price-groups/price-group-store.ts';
import { amount, amountGiven, closed, nullable, time } from '../../../../base/http/schemas.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import { authorSchema, presentAuthor } from '../audit/author-json.ts';

const from = () => nullable(time('The time at which it begins to apply; null: no beginning.'));
const until = () => nullable(time('The time at which it ceases to apply; null: no end.'));

const definition = {
  name: nullable(Type.String(), { description: 'The name for operators.' }),
  factor: Type.String({
    description: "The factor on the models' prices, to the nearest millionth: 0.8 takes 20 % off.",
    examples: ['0.8'],
  }),
  from: from(),
  until: until(),
  prices: Type.Array(
    Type.Object(
      {
        model: Type.String(),
        resolution: Type.String(),
        price: amount('The price of one image.'),
        from: from(),
        until: until(),
      },
      { title: 'GroupPrice' },
    ),
    { description: 'Prices that apply instead of the factor.' },
  ),
};

export const priceGroupSchema = Type.Object(
  {
    price_group_id: Type.String(),
    version: Type.Integer({ description: 'Rises with each change.' }),
    ...definition,
    accounts: Type.Integer({ description: 'The number of accounts in the group.' }),
    changed_at: time('When it was changed.'),
    changed_by: Type.String(),
    author: authorSchema,
  },
  { title: 'PriceGroup' },
);

export const priceGroupVersionSchema = Type.Object(
  {
    version: Type.Integer(),
    at: time('When it was made.'),
    by: Type.String(),
    definition: nullable(Type.Object(definition, { title: 'PriceGroupDefinition' }), {
      description: 'The definition; null if this version removed the group.',
    }),
  },
  { title: 'PriceGroupVersion' },
);

const maxPrices = 500;

export const priceGroupRequest = closed(
  {
    name: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: maxNameLength }))),
    factor: Type.Optional(amountGiven("The factor on the models' prices; 1 without it.")),
    from: Type.Optional(from()),
    until: Type.Optional(until()),
    prices: Type.Optional(
      Type.Array(
        closed(
          {
            model: Type.String({ maxLength: 100 }),
            resolution: Type.String({ maxLength: 100 }),
            price: amountGiven('The price of one image.'),
            from: Type.Optional(from()),
            until: Type.Optional(until()),
          },
          { title: 'NewGroupPrice' },
        ),
        { maxItems: maxPrices, description: 'Prices that apply instead of the factor.' },
      ),
    ),
  },
  { title: 'NewPriceGroup' },
);

export function presentPriceGroup({
  id,
  version,
  definition: { name, factor, from, until, prices },
  accounts,
  author,
  createdAt,
}: PriceGroup): Static<typeof priceGroupSchema> {
  return {
    ...{ price_group_id: id, version, name, factor, from, until },
    ...{ prices: [...prices], accounts, changed_at: toIso(createdAt), changed_by: author.name },
    author: presentAuthor(author),
  };
}

export function presentPriceGroupVersion({
  version,
  definition,
  author,
  createdAt,
}: PriceGroupVersion): Static<typeof priceGroupVersionSchema> {
  const said = definition && { ...definition, prices: [...definition.prices] };
  return { version, at: toIso(createdAt), by: author.name, definition: said };
}

export function definitionOf({
  name = null,
  factor = '1',
  prices = [],
  ...period
}: Static<typeof priceGroupRequest>): PriceGroupDefinition {
  return { ...ever, ...period, name, factor, prices: prices.map((one) => ({ ...ever, ...one })) };
}

const ever = { from: null, until: null };
