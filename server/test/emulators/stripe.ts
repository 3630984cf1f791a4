import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { type Emulator, startEmulator } from './emulator.ts';
import {
  type CardBehaviour,
  emulateCards,
  type Fields,
  listOf,
  metadataOf,
  setupOf,
} from './stripe-cards.ts';

export interface StripeEmulator extends Emulator {
  environment: Record<'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_URL', string>;
  events: Fields[];
  /** Pays on the page of this session, or the last one. Returns the PaymentIntent. */
  pay(session?: Fields): string;
  begin(session?: Fields): { succeed(): string; fail(): void };
  refund(paymentIntent: string, amount: number): { fail(): void };
  dispute(paymentIntent: string): {
    win(): void;
    lose(laterSeconds?: number): void;
    restate(amount: number): void;
  };
  sessions: Fields[];
  saveCard(does?: CardBehaviour, session?: Fields): string;
  charges: Fields[];
  /** Makes the next charge succeed, but loses its answer. */
  lose(): void;
  detach(card: string): void;
  signed(event: Fields | string, secret?: string): { headers: Record<string, string>; body: string };
}

const webhookSecret = 'whsec_test_secret';

/** @param taxes in per cent of the price, to which they are added */
export async function startStripe({ taxes = 0 }: { taxes?: number } = {}): Promise<StripeEmulator> {
  const sessions: Fields[] = [];
  const events: Fields[] = [];
  const say = (type: string, object: Fields, laterSeconds = 0) =>
    void events.push({
      ...{ id: `evt_${randomUUID()}`, object: 'event', type },
      created: Math.floor(Date.now() / 1000) + laterSeconds,
      data: { object: structuredClone(object) },
    });
  const cards = emulateCards(say);
  const emulator = await startEmulator([
    {
      method: 'POST',
      path: /^\/v1\/checkout\/sessions$/,
      stage: 'checkout',
      handle(request) {
        const form = new URLSearchParams(request.body.toString());
        const session = { ...openSession(form, emulator.url, taxes), ...setupOf(form) };
        sessions.push(session);
        return { body: session };
      },
    },
    {
      method: 'POST',
      path: /^\/v1\/checkout\/sessions\/(.+)\/expire$/,
      stage: 'expire',
      handle: () => ({
        status: 404,
        body: { error: { type: 'invalid_request_error', code: 'resource_missing', message: 'None' } },
      }),
    },
    {
      method: 'GET',
      path: /^\/v1\/checkout\/sessions$/,
      stage: 'sessions',
      handle: ({ query }) => ({
        body: listOf(sessions.filter((one) => one.payment_intent === query.get('payment_intent'))),
      }),
    },
    {
      method: 'GET',
      path: /^\/v1\/invoices\/(in_.+)$/,
      stage: 'invoice',
      handle: (_request, [, id]) => ({
        body: { id, object: 'invoice', hosted_invoice_url: `https://invoice.stripe.test/${id}` },
      }),
    },
    ...cards.routes,
    {
      method: 'GET',
      path: /^\/v1\/events$/,
      stage: 'events',
      handle({ query }) {
        const types = [...query].filter(([name]) => name.startsWith('types')).map(([, type]) => type);
        const since = Number(query.get('created[gte]') ?? 0);
        const isListed = ({ type, created }: Fields) =>
          types.includes(String(type)) && Number(created) >= since;
        return { body: listOf(events.filter(isListed).toReversed()) };
      },
    },
  ]);
  const succeed = (session: Fields, type: string) => {
    Object.assign(session, { payment_status: 'paid', status: 'complete' });
    say(type, session);
    return String(session.payment_intent);
  };
  return Object.assign(emulator, {
    ...{ sessions, events, charges: cards.charges, lose: cards.lose, detach: cards.detach },
    saveCard: (does: CardBehaviour = 'pays', session = sessions.at(-1) ?? {}) => {
      const card = cards.save(does, session);
      say('checkout.session.completed', session);
      return card;
    },
    environment: {
      ...{ STRIPE_SECRET_KEY: 'sk_test_key', STRIPE_WEBHOOK_SECRET: webhookSecret },
      STRIPE_API_URL: emulator.url,
    },
    pay: (session = sessions.at(-1) ?? {}) => {
      session.payment_intent = `pi_${randomUUID()}`;
      if (session.invoices) session.invoice = `in_${randomUUID()}`;
      return succeed(session, 'checkout.session.completed');
    },
    begin(session: Fields = sessions.at(-1) ?? {}) {
      Object.assign(session, { payment_intent: `pi_${randomUUID()}`, status: 'complete' });
      say('checkout.session.completed', session);
      return {
        succeed: () => succeed(session, 'checkout.session.async_payment_succeeded'),
        fail: () => say('checkout.session.async_payment_failed', session),
      };
    },
    refund(payment_intent: string, amount: number) {
      const refund = {
        id: `re_${randomUUID()}`,
        object: 'refund',
        payment_intent,
        amount,
        status: 'pending',
      };
      say('refund.created', refund);
      return { fail: () => say('refund.failed', { ...refund, status: 'failed' }) };
    },
    dispute(payment_intent: string) {
      const charge = cards.charges.find(({ id }) => id === payment_intent);
      const session = sessions.find((one) => one.payment_intent === payment_intent);
      const amount = charge?.amount_received ?? session?.amount_total;
      const dispute = { id: `dp_${randomUUID()}`, object: 'dispute', payment_intent, amount };
      // Far in the future, because banks take weeks.
      let later = 0;
      const tell = (type: string, status: string) =>
        say(`charge.dispute.${type}`, { ...dispute, status }, later);
      tell('created', 'needs_response');
      tell('funds_withdrawn', 'needs_response');
      return {
        win() {
          later += 60;
          tell('funds_reinstated', 'won');
          tell('closed', 'won');
        },
        lose(laterSeconds = 60) {
          later += laterSeconds;
          tell('closed', 'lost');
        },
        restate(amount: number) {
          later += 60;
          dispute.amount = amount;
          tell('updated', 'under_review');
        },
      };
    },
    signed(event: Fields | string, secret = webhookSecret) {
      const body = typeof event === 'string' ? event : JSON.stringify(event);
      const signature = new Stripe('sk_test').webhooks.generateTestHeaderString({ payload: body, secret });
      return { headers: { 'content-type': 'application/json', 'stripe-signature': signature }, body };
    },
  });
}

function openSession(form: URLSearchParams, url: string, taxes: number): Fields {
  const id = `cs_test_${randomUUID()}`;
  const subtotal = Number(form.get('line_items[0][price_data][unit_amount]'));
  const metadata = metadataOf(form);
  return {
    ...{ id, object: 'checkout.session', url: `${url}/pay/${id}`, metadata },
    ...{ status: 'open', payment_status: 'unpaid', payment_intent: null, invoice: null },
    invoices: form.get('invoice_creation[enabled]') === 'true',
    ...{ amount_subtotal: subtotal, amount_total: Math.round(subtotal * (1 + taxes / 100)) },
    ...{ success_url: form.get('success_url'), cancel_url: form.get('cancel_url') },
  };
}
