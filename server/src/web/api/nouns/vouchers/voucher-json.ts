import Type, { type Static } from 'typebox';
import { maxNameLength } from '../../../../accounts/name.ts';
import type { VoucherBatch } from '../../../../accounts/vouchers/voucher-store.ts';
import { amount, amountGiven, closed, nullable, time } from '../../../../base/http/schemas.ts';
import { toIso, toIsoOrNull } from '../../../../base/std/iso-time.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';

export const voucherBatchSchema = Type.Object(
  {
    voucher_batch_id: Type.String({ format: 'uuid' }),
    name: nullable(Type.String()),
    amount: amount('The amount of each code.'),
    count: Type.Integer({ description: 'The number of codes.' }),
    uses: Type.Integer({ description: 'How many accounts may redeem each code, once each.' }),
    redeemed: Type.Integer({ description: 'How often its codes were redeemed.' }),
    created_at: time('When the codes were created.'),
    expires_at: nullable(time('When they stop working; null: never.')),
    withdrawn_at: nullable(time('When they were withdrawn.')),
  },
  { title: 'VoucherBatch' },
);

export const newVouchersSchema = Type.Object(
  {
    ...voucherBatchSchema.properties,
    codes: Type.Array(Type.String({ examples: ['6M3S-T9BP-AVTY-5601-GWZZ-1NBG-8CRC'] }), {
      description: 'The codes, shown only once: the server does not store them.',
    }),
  },
  { title: 'NewVouchers' },
);

const maxCodes = 5_000;
const maxUses = 1_000_000;

export const voucherRequest = closed(
  {
    amount: amountGiven('The amount of each code; more than zero.'),
    count: Type.Integer({ minimum: 1, maximum: maxCodes, description: 'The number of codes.' }),
    expires_at: Type.Optional(nullable(time('When they stop working; by default, never.'))),
    uses: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxUses,
        description: 'How many accounts may redeem each code, once each; 1 by default.',
      }),
    ),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxNameLength,
        pattern: '\\S',
        description: 'The name for operators.',
      }),
    ),
  },
  { title: 'VoucherRequest' },
);

export function presentVoucherBatch(batch: VoucherBatch): Static<typeof voucherBatchSchema> {
  return {
    voucher_batch_id: batch.id,
    name: batch.name,
    amount: formatMicros(batch.amountMicros),
    count: batch.count,
    uses: batch.uses,
    redeemed: batch.redeemed,
    created_at: toIso(batch.createdAt),
    expires_at: toIsoOrNull(batch.expiresAt),
    withdrawn_at: toIsoOrNull(batch.withdrawnAt),
  };
}
