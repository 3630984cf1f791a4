import Type from 'typebox';
import { maxKeyModels } from '../../../../accounts/create-key.ts';
import { maxKeyNetworks } from '../../../../accounts/keys/key-networks.ts';
import { nullable } from '../../../../base/http/schemas.ts';

// For a new key, an empty list means "no restriction". A change refuses an empty list, because that would widen the
// key's access.

export const keyModels = (least: { minItems?: number } = {}) =>
  nullable(Type.Array(Type.String({ maxLength: 40 }), { ...least, maxItems: maxKeyModels }), {
    description: 'The models that it may use; null: every model.',
  });

export const keyNetworks = (least: { minItems?: number } = {}) =>
  nullable(Type.Array(Type.String({ maxLength: 60 }), { ...least, maxItems: maxKeyNetworks }), {
    description: 'The only addresses and CIDR blocks from which the key may be used; null: everywhere.',
    examples: [['203.0.113.0/24']],
  });
