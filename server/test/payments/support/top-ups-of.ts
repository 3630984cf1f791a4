import assert from 'node:assert/strict';
import { debitAccount } from '../../../src/accounts/debit-account.ts';
import { claimTopUp } from '../../../src/accounts/payments/top-ups/claim-top-up.ts';
import { saveTopUp } from '../../../src/accounts/payments/top-ups/top-up-store.ts';
import { commandLine } from '../../../src/base/audit/audit-store.ts';
import type { StripeEmulator } from '../../emulators/stripe.ts';
import type { CardBehaviour } from '../../emulators/stripe-cards.ts';
import { bearer, eventually } from '../../http/support/requests.ts';
import { openMember } from '../../panel/browser.ts';
import type { World } from '../../world/world.ts';
import { tillOf } from './till-of.ts';

interface Settings {
  threshold: string;
  amount: string;
  month_most: string;
}

interface Account {
  accountId: string;
}

export function topUpsOf(stripe: StripeEmulator, { world }: { world: World }) {
  const { database } = world.app;
  const { tell, balanceOf, entriesOf } = tillOf(stripe, world);

  async function openAccount(name: string, { credit }: { credit: bigint }) {
    const { accountId, key } = await world.account(name, { creditMicros: credit * 1_000_000n });
    const owner = `${name.replaceAll(' ', '-')}@top-up.test`;
    const browser = await openMember(world, { email: owner, accountId, emailConfirmed: true });
    const params = { account_id: accountId };
    const read = () => browser.call('GET /api/v1/top-up', { params });
    const payments = async () =>
      (await world.send('GET', '/payments', { headers: bearer(key) })).body.data as {
        payment_id: string;
        status: string;
        amount: string;
      }[];
    return {
      ...{ accountId, key, owner, read, payments },
      balance: () => balanceOf(key),
      newestEntry: async () => (await entriesOf(key)).at(-1),
      openPage: () => browser.try('POST /api/v1/top-up/card', { params }),
      try: (body: Settings) => browser.try('PUT /api/v1/top-up', { params, body }),
      turnOn: (body: Settings) => browser.call('PUT /api/v1/top-up', { params, body }),
      turnOff: () => browser.call('DELETE /api/v1/top-up', { params }),
      async saveCard(does: CardBehaviour = 'pays'): Promise<string> {
        await database.transaction((tx) => saveTopUp(tx, accountId, { page_opened_at: null }));
        await browser.call('POST /api/v1/top-up/card', { params });
        const card = stripe.saveCard(does);
        assert.equal(await tell(stripe.events.at(-1) ?? {}), 204);
        return card;
      },
      becomes: (wanted: string) => eventually(read, ({ status }) => status === wanted),
      credited: (amount: string, count: number) =>
        eventually(
          payments,
          (all) => all.filter((one) => one.status === 'paid' && one.amount === amount).length === count,
        ),
      events: () =>
        database.read.selectFrom('events').select('type').where('account_id', '=', accountId).execute(),
    };
  }

  async function spend({ accountId }: Account, amount: bigint): Promise<void> {
    const debit = { account: accountId, amountMicros: amount * 1_000_000n, reason: 'spent' };
    await debitAccount({ database, tellBalances: async () => {} }, debit, commandLine);
  }

  const charged = ({ accountId }: Account, count: number) =>
    eventually(
      async () =>
        stripe.charges.filter(
          ({ metadata }) => (metadata as Record<string, string>).darkroom_account === accountId,
        ),
      ({ length }) => length === count,
    );

  async function decide({ accountId }: Account) {
    return (await claimTopUp(database, { accountId, provider: 'stripe' })).decision;
  }

  async function makeOld(paymentId: string, ago: { asked?: number; made?: number }): Promise<void> {
    const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000;
    await database.transaction((tx) =>
      tx
        .updateTable('payments')
        .set({
          ...(ago.asked !== undefined && { asked_at: minutesAgo(ago.asked) }),
          ...(ago.made !== undefined && { created_at: minutesAgo(ago.made) }),
        })
        .where('id', '=', paymentId)
        .execute(),
    );
  }

  return { openAccount, tell, spend, charged, decide, makeOld };
}
