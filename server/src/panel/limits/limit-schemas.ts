import Type from 'typebox';
import { closed } from '../../http/schemas.ts';
import { meters, wordOf } from '../../limits/limit.ts';

/** Long enough for every amount. */
const maxLength = 20;
/** Offices and data centres of one customer; each is looked through on every request. */
const maxNetworks = 50;

const most = Type.Union([Type.String({ maxLength }), Type.Null()]);

/** New limits by their names; null for the default of the installation. */
export const limitChangesSchema = closed(
  Object.fromEntries(meters.map((meter) => [wordOf[meter], Type.Optional(most)])),
);

/** Addresses and networks from which a key may be used; null: from everywhere. */
export const networksSchema = Type.Union([
  Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
    minItems: 1,
    maxItems: maxNetworks,
    uniqueItems: true,
  }),
  Type.Null(),
]);
