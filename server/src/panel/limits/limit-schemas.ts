import Type from 'typebox';

/** Offices and data centres of one customer; each is looked through on every request. */
const maxNetworks = 50;

/** Addresses and networks from which a key may be used; null: from everywhere. */
export const networksSchema = Type.Union([
  Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
    minItems: 1,
    maxItems: maxNetworks,
    uniqueItems: true,
  }),
  Type.Null(),
]);
