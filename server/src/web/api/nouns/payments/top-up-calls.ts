import Type from 'typebox';
import type { PaymentSource, Payments } from '../../../../accounts/payments/open-payments.ts';
import type { CardCharger } from '../../../../accounts/payments/payment-provider.ts';
import { changeTopUp, removeTopUp } from '../../../../accounts/payments/top-ups/change-top-up.ts';
import { monthStartOf } from '../../../../accounts/payments/top-ups/claim-top-up.ts';
import { openCardPage } from '../../../../accounts/payments/top-ups/open-card-page.ts';
import { countCharges, findTopUp } from '../../../../accounts/payments/top-ups/top-up-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readNow } from '../../../../base/db/rows.ts';
import { named } from '../../../../base/http/schemas.ts';
import type { Log } from '../../../../base/std/log.ts';
import { AppError } from '../../../../errors.ts';
import { readAmount } from '../../../../money/ledger/read-amount.ts';
import { accountCall } from '../../account-call.ts';
import { presentTopUp, topUpRequest, topUpSchema } from './top-up-json.ts';

export interface TopUpDeps {
  database: Database;
  payments: PaymentSource;
  currency: string;
  log: Log;
  urls: { publicUrl: string };
}

const tag = 'Money';

export function topUpCalls(deps: TopUpDeps) {
  const { database, log } = deps;
  async function present(accountId: string) {
    const { read } = database;
    const { usedMicros } = await countCharges(read, accountId, monthStartOf(await readNow(read)));
    return presentTopUp(await findTopUp(read, accountId), { payments: deps.payments.current(), usedMicros });
  }
  return {
    get: accountCall({
      tag,
      operationId: 'getTopUp',
      summary: 'Read when the card of an account is charged automatically',
      reply: named(topUpSchema),
      handle: ({ accountId }) => present(accountId),
    }),

    set: accountCall({
      tag,
      operationId: 'setTopUp',
      summary: 'Charge the saved card whenever the balance is low',
      description:
        'Charges are made one at a time, up to `month_most` per month, and not while the account owes or a payment is disputed. A refusal by the bank stops top-up.',
      body: topUpRequest,
      reply: named(topUpSchema),
      errors: ['not_found'],
      async handle({ accountId, by, body }) {
        const settings = {
          thresholdMicros: readAmount('/threshold', body.threshold),
          amountMicros: readAmount('/amount', body.amount),
          monthMicros: readAmount('/month_most', body.month_most),
        };
        await changeTopUp({ ...deps, ...chargingOf(deps) }, { accountId, ...settings }, by);
        return present(accountId);
      },
    }),

    remove: accountCall({
      tag,
      operationId: 'removeTopUp',
      summary: 'Turn off automatic top-up and remove the card',
      reply: named(topUpSchema),
      async handle({ accountId, by }) {
        const card = await removeTopUp({ database }, accountId, by);
        const cards = deps.payments.current()?.provider.cards;
        // Darkroom no longer charges the card, even if the provider cannot be reached to delete it.
        if (card !== null)
          await cards?.forget(card).catch((error: unknown) => {
            log.warn('card.not_forgotten', { account: accountId, reason: String(error) });
          });
        return present(accountId);
      },
    }),

    openCardPage: accountCall({
      tag,
      operationId: 'openCardPage',
      summary: 'Open a page to save a card',
      description: 'A person saves it there. It replaces the earlier card, and does not turn top-up on.',
      status: 201,
      idempotency: 'kept',
      makes: '/top-up',
      reply: Type.Object(
        { url: Type.String({ format: 'uri', description: 'The page, which is valid for a day.' }) },
        { title: 'CardPage' },
      ),
      errors: ['not_found', 'payments_unavailable', 'too_many_requests'],
      handle: ({ accountId }) => openCardPage({ ...deps, ...chargingOf(deps) }, accountId),
    }),
  };
}

function chargingOf({ payments: source }: TopUpDeps): { payments: Payments; cards: CardCharger } {
  const payments = source.current();
  if (payments?.provider.cards) return { payments, cards: payments.provider.cards };
  throw new AppError('not_found', 'This installation charges no cards automatically.');
}
