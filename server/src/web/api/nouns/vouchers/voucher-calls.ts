import Type from 'typebox';
import { createVouchers } from '../../../../accounts/vouchers/create-vouchers.ts';
import { redeemVoucher } from '../../../../accounts/vouchers/redeem-voucher.ts';
import { listVoucherBatches } from '../../../../accounts/vouchers/voucher-store.ts';
import { readVoucherBatch, withdrawVouchers } from '../../../../accounts/vouchers/withdraw-vouchers.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readPage } from '../../../../base/http/cursor.ts';
import { amount, closed, page, pageQuery } from '../../../../base/http/schemas.ts';
import { readIso } from '../../../../base/std/iso-time.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';
import { readPresentedBalance } from '../../../../money/ledger/present-balance.ts';
import { readAmount } from '../../../../money/ledger/read-amount.ts';
import { tellLowBalances } from '../../../../notify/alerts/tell-low-balances.ts';
import { accountCall } from '../../account-call.ts';
import { installationCall } from '../../installation-call.ts';
import {
  newVouchersSchema,
  presentVoucherBatch,
  voucherBatchSchema,
  voucherRequest,
} from './voucher-json.ts';

const tag = 'Money';
const params = Type.Object({ voucher_batch_id: Type.String() });

export function voucherCalls(deps: { database: Database }) {
  const { database } = deps;
  return {
    create: installationCall({
      tag,
      operationId: 'createVouchers',
      summary: 'Make vouchers',
      description: 'Codes that accounts redeem for credit. They are shown once.',
      body: voucherRequest,
      status: 201,
      idempotency: 'kept',
      makes: '/vouchers/:voucher_batch_id',
      reply: newVouchersSchema,
      async handle({ body: { amount, expires_at, ...more }, by }) {
        const amountMicros = readAmount('/amount', amount);
        const expiresAt = expires_at == null ? null : readIso(expires_at);
        const made = await createVouchers(deps, { amountMicros, expiresAt, ...more }, by);
        const batch = await readVoucherBatch(database.read, made.id);
        return { ...presentVoucherBatch(batch), codes: made.codes };
      },
    }),

    list: installationCall({
      tag,
      operationId: 'listVouchers',
      summary: 'List batches of vouchers, newest first',
      query: pageQuery({}),
      reply: page('VoucherBatchList', voucherBatchSchema),
      handle: ({ query }) =>
        readPage(query, (slice) => listVoucherBatches(database.read, slice), presentVoucherBatch),
    }),

    get: installationCall({
      tag,
      operationId: 'getVouchers',
      summary: 'Read a batch of vouchers',
      params,
      reply: voucherBatchSchema,
      errors: ['not_found'],
      handle: async ({ params: { voucher_batch_id: id } }) =>
        presentVoucherBatch(await readVoucherBatch(database.read, id)),
    }),

    withdraw: installationCall({
      tag,
      operationId: 'withdrawVouchers',
      summary: 'Withdraw a batch of vouchers',
      description: 'Its codes stop working; what was redeemed stays. A repeat changes nothing.',
      params,
      status: 204,
      reply: Type.Null({ description: 'They are withdrawn.' }),
      errors: ['not_found'],
      async handle({ params: { voucher_batch_id: id }, by }) {
        await withdrawVouchers(deps, id, by);
        return null;
      },
    }),
  };
}

export function redeemVoucherCall(deps: { database: Database }) {
  return accountCall({
    tag,
    operationId: 'redeemVoucher',
    summary: 'Redeem a voucher',
    description: 'Adds the value of the code to the balance, once per account.',
    body: closed(
      {
        code: Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'The code. Lower case, spaces and missing hyphens do not matter.',
          examples: ['6M3S-T9BP-AVTY-5601-GWZZ-1NBG-8CRC'],
        }),
      },
      { title: 'VoucherCode' },
    ),
    idempotency: 'kept',
    reply: Type.Object(
      { amount: amount('The added amount.'), balance: amount("The account's balance afterwards.") },
      { title: 'RedeemedVoucher' },
    ),
    errors: ['not_found', 'voucher_refused'],
    async handle({ accountId, by, body: { code } }) {
      const amountMicros = await redeemVoucher(
        { ...deps, tellBalances: tellLowBalances },
        { accountId, code },
        by,
      );
      const { balance } = await readPresentedBalance(deps.database.read, accountId);
      return { amount: formatMicros(amountMicros), balance };
    },
  });
}
