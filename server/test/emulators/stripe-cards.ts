import { randomUUID } from 'node:crypto';
import type { startEmulator } from './emulator.ts';

export type Fields = Record<string, unknown>;

/** The bank's answer to a charge while the customer is absent. */
export type CardBehaviour = 'pays' | 'card_declined' | 'authentication_required';

/**
 * Stripe's saved cards: customers, pages that only save a card, and charges off session, answered as Stripe's
 * documentation says.
 */
export function emulateCards(say: (type: string, object: Fields) => void) {
  const cards = new Map<
    string,
    { does: CardBehaviour; customer: string; setup: string; isDetached: boolean }
  >();
  const charges: Fields[] = [];
  const answers = new Map<string, { sent: string; status: number; body: Fields }>();
  let isLost = false;
  const routes: Parameters<typeof startEmulator>[0] = [
    {
      method: 'POST',
      path: /^\/v1\/customers$/,
      stage: 'customer',
      handle: () => ({ body: { id: `cus_${randomUUID()}`, object: 'customer' } }),
    },
    {
      method: 'POST',
      path: /^\/v1\/(customers\/cus_none|payment_intents\/pi_none\/cancel)$/,
      stage: 'tried',
      handle: () => failed(404, 'invalid_request_error', { code: 'resource_missing', message: 'None' }),
    },
    {
      method: 'GET',
      path: /^\/v1\/setup_intents\/(seti_.+)$/,
      stage: 'setup intent',
      handle(_request, [, id]) {
        const [card] = [...cards].find(([, { setup }]) => setup === id) ?? [];
        const details = { brand: 'visa', last4: '4242', exp_month: 8, exp_year: 2031 };
        return { body: { id, object: 'setup_intent', payment_method: { id: card, card: details } } };
      },
    },
    {
      method: 'POST',
      path: /^\/v1\/payment_intents$/,
      stage: 'charge',
      handle({ headers, body }) {
        const key = String(headers['idempotency-key']);
        const sent = body.toString();
        const answer = answers.get(key) ?? { sent, ...charge(new URLSearchParams(sent)) };
        answers.set(key, answer);
        if (answer.sent !== sent) return { status: 400, body: { error: { type: 'idempotency_error' } } };
        if (!isLost) return answer;
        isLost = false;
        throw new Error('the answer is lost');
      },
    },
    {
      method: 'GET',
      path: /^\/v1\/payment_intents$/,
      stage: 'charges',
      handle: ({ query }) => ({
        body: listOf(charges.filter(({ customer }) => customer === query.get('customer'))),
      }),
    },
    {
      method: 'GET',
      path: /^\/v1\/payment_intents\/(?!pi_)/,
      stage: 'no payment intent',
      handle: () => failed(404, 'invalid_request_error', { code: 'resource_missing', message: 'None' }),
    },
    {
      method: 'GET',
      path: /^\/v1\/payment_intents\/(pi_.+)$/,
      stage: 'payment intent',
      handle: ({ query }, [, id]) => ({
        body: {
          ...{ id, object: 'payment_intent', metadata: {}, ...charges.find((one) => one.id === id) },
          latest_charge: query.get('expand[0]') === 'latest_charge' && {
            ...{ id: 'ch_1', receipt_url: `https://pay.stripe.test/receipts/${id}` },
          },
        },
      }),
    },
    {
      method: 'POST',
      path: /^\/v1\/payment_methods\/(pm_.+)\/detach$/,
      stage: 'detach',
      handle(_request, [, id = '']) {
        detach(id);
        return { body: { id, object: 'payment_method' } };
      },
    },
  ];

  function charge(form: URLSearchParams): { status: number; body: Fields } {
    const card = cards.get(form.get('payment_method') ?? '');
    if (!card || card.isDetached || card.customer !== form.get('customer'))
      return failed(400, 'invalid_request_error', { param: 'payment_method', message: 'It was detached.' });
    const amount = Number(form.get('amount'));
    const intent: Fields = {
      ...{ id: `pi_${randomUUID()}`, object: 'payment_intent', amount, amount_received: 0 },
      ...{ customer: card.customer, metadata: metadataOf(form), status: 'requires_payment_method' },
    };
    charges.push(intent);
    if (card.does === 'pays') {
      Object.assign(intent, { status: 'succeeded', amount_received: amount });
      say('payment_intent.succeeded', intent);
      return { status: 200, body: intent };
    }
    const error = { code: card.does, message: 'Your card was declined.' };
    say('payment_intent.payment_failed', { ...intent, last_payment_error: error });
    return failed(402, 'card_error', { ...error, payment_intent: intent });
  }

  function detach(id: string): void {
    const card = cards.get(id);
    if (!card || card.isDetached) return;
    card.isDetached = true;
    say('payment_method.detached', { id, object: 'payment_method', customer: null });
  }

  return {
    ...{ routes, charges, detach },
    lose() {
      isLost = true;
    },
    save(does: CardBehaviour, session: Fields): string {
      const [card, setup] = [`pm_${randomUUID()}`, `seti_${randomUUID()}`];
      cards.set(card, { does, customer: String(session.customer), setup, isDetached: false });
      Object.assign(session, { setup_intent: setup, status: 'complete' });
      return card;
    },
  };
}

export function setupOf(form: URLSearchParams): Fields {
  if (form.get('mode') !== 'setup') return { mode: 'payment' };
  return { mode: 'setup', customer: form.get('customer'), payment_status: 'no_payment_required' };
}

export function metadataOf(form: URLSearchParams): Fields {
  return Object.fromEntries(
    [...form].flatMap(([name, value]) => {
      const [, field] = /^metadata\[(\w+)\]$/.exec(name) ?? [];
      return field ? [[field, value]] : [];
    }),
  );
}

export function listOf(data: Fields[]): Fields {
  return { object: 'list', data, has_more: false };
}

function failed(status: number, type: string, error: Fields) {
  return { status, body: { error: { type, ...error } } };
}
