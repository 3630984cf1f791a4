import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assignPriceGroup } from '../../../src/accounts/price-groups/assign-price-group.ts';
import { savePriceGroup } from '../../../src/accounts/price-groups/save-price-group.ts';
import { createVouchers } from '../../../src/accounts/vouchers/create-vouchers.ts';
import { redeemVoucher } from '../../../src/accounts/vouchers/redeem-voucher.ts';
import { withdrawVouchers } from '../../../src/accounts/vouchers/withdraw-vouchers.ts';
import { commandLine } from '../../../src/base/audit/audit-store.ts';
import { AppError } from '../../../src/errors.ts';
import { formatMicros } from '../../../src/money/ledger/money.ts';
import { tellLowBalances } from '../../../src/notify/alerts/tell-low-balances.ts';
import { specifiedIds as modelIds } from '../../../src/upstream/catalog/specified-models.ts';
import { addTo, modelOf } from '../model.ts';
import { accountAt, accountIndex, index, type Kind, step } from './step.ts';

const groupId = fc.constantFrom('g1', 'g2');
const group = fc.record({
  id: groupId,
  // Some factors result in fractions of a micro-unit.
  millionths: fc.constantFrom(800_000n, 0n, 1_000_000n, 333_333n, 1_234_567n),
  fixed: fc.option(fc.record({ model: fc.constantFrom(...modelIds), micros: fc.bigInt(0n, 90_000n) })),
});
type Group = typeof group extends fc.Arbitrary<infer Value> ? Value : never;

export const prices: Record<string, Kind> = {
  group: { weight: 2, steps: group.map(saveGroup) },
  join: { weight: 3, steps: fc.record({ account: accountIndex, id: fc.option(groupId) }).map(join) },
  vouchers: {
    weight: 1,
    steps: fc.record({ amount: fc.bigInt(1n, 100_000n), uses: fc.constantFrom(1, 2) }).map(makeVouchers),
  },
  redeem: { weight: 3, steps: fc.record({ account: accountIndex, code: index }).map(redeem) },
  withdraw: { weight: 1, steps: index.map(withdraw) },
};

function saveGroup(drawn: Group) {
  return step('group', drawn, async (state, { database, changes }) => {
    const { id, millionths } = drawn;
    const fixed = drawn.fixed && { ...drawn.fixed, resolution: '1K' };
    const ever = { from: null, until: null };
    const price = fixed && { model: fixed.model, resolution: fixed.resolution, ...ever };
    const definition = {
      ...{ id, name: null, ...ever, factor: formatMicros(millionths) },
      prices: fixed && price ? [{ ...price, price: formatMicros(fixed.micros) }] : [],
    };
    await savePriceGroup(
      { database, catalogue: { list: () => modelIds.map(modelOf) } },
      definition,
      commandLine,
    );
    await changes.refresh();
    state.groups.set(id, { millionths, fixed });
  });
}

function join(drawn: { account: number; id: string | null }) {
  return step('join', drawn, async (state, { database, changes }) => {
    const account = accountAt(state, drawn.account);
    const { id: group } = drawn;
    const joined = assignPriceGroup({ database }, { account: account.id, group }, commandLine);
    if (group !== null && !state.groups.has(group))
      return assert.rejects(joined, (error) => error instanceof AppError && error.code === 'invalid_request');
    await joined;
    await changes.refresh();
    account.group = group;
  });
}

function makeVouchers(drawn: { amount: bigint; uses: number }) {
  return step('vouchers', drawn, async (state, { database }) => {
    const { amount, uses } = drawn;
    const wanted = { amountMicros: amount, count: 1, uses, expiresAt: null };
    const { id: batchId, codes } = await createVouchers({ database }, wanted, commandLine);
    const [code = ''] = codes;
    state.vouchers.push({ batchId, code, amount, uses, redeemedBy: new Set(), withdrawn: false });
  });
}

function redeem(drawn: { account: number; code: number }) {
  return step('redeem', drawn, async (state, { database }) => {
    const account = accountAt(state, drawn.account);
    const voucher = state.vouchers[drawn.code % state.vouchers.length];
    if (!voucher) return;
    const { code, amount, uses, redeemedBy, withdrawn } = voucher;
    const redeemed = redeemVoucher(
      { database, tellBalances: tellLowBalances },
      { accountId: account.id, code },
      commandLine,
    );
    if (withdrawn || redeemedBy.has(account) || redeemedBy.size >= uses)
      return assert.rejects(
        redeemed,
        (error) => error instanceof AppError && error.code === 'voucher_refused',
      );
    assert.equal(await redeemed, amount);
    addTo(account, amount);
    redeemedBy.add(account);
  });
}

function withdraw(drawn: number) {
  return step('withdraw', drawn, async (state, { database }) => {
    const voucher = state.vouchers[drawn % state.vouchers.length];
    if (!voucher) return;
    await withdrawVouchers({ database }, voucher.batchId, commandLine);
    voucher.withdrawn = true;
  });
}
