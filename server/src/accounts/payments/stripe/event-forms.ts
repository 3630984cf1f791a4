import type Stripe from 'stripe';
import Type, { type TSchema } from 'typebox';
import Value from 'typebox/value';
import { isUuid } from '../../../base/std/ids.ts';
import { type eventTypes, type Finders, idOf } from './read-event.ts';

const id = Type.String({ minLength: 1 });
/** A Stripe object: its id, or the whole object. */
const thing = Type.Union([id, Type.Object({ id })]);
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const text = Type.Optional(Type.String());
const metadata = Type.Object({ darkroom_account: text, darkroom_payment: text, darkroom_micros: text });
const accountOnly = Type.Object({ darkroom_account: text });
const paymentOnly = Type.Object({ darkroom_payment: text });
const ifAny = <Schema extends TSchema>(schema: Schema) => Type.Optional(orNull(schema));

const event = <Object extends Record<string, TSchema>, More extends Record<string, TSchema>>(
  object: Object,
  more: More,
) => Type.Object({ ...more, data: Type.Object({ object: Type.Object(object) }) });

// Our checkout pages take a payment or save a card. Pages with another `mode` are not ours.
const paidPage = event(
  {
    ...{ mode: Type.Literal('payment'), payment_status: Type.String(), metadata: ifAny(metadata) },
    ...{ payment_intent: orNull(thing), amount_total: orNull(amount), invoice: ifAny(thing) },
  },
  {},
);
const cardPage = event(
  {
    ...{ mode: Type.Literal('setup'), metadata: ifAny(accountOnly) },
    ...{ setup_intent: ifAny(thing), customer: ifAny(thing) },
  },
  {},
);
const endedPage = Type.Union([paidPage, cardPage]);
const failedPage = event({ metadata: ifAny(paymentOnly) }, {});
const reversal = { id, amount, payment_intent: orNull(thing) };
const created = Type.Integer();
const refund = event({ ...reversal, status: orNull(Type.String()) }, { created });
const dispute = event({ ...reversal, status: Type.String() }, { created });
const paidCharge = event({ id, metadata, status: Type.String(), amount_received: amount }, {});
const failedCharge = event({ metadata: paymentOnly }, {});

const forms: Record<(typeof eventTypes)[number], TSchema> = {
  'checkout.session.completed': endedPage,
  'checkout.session.async_payment_succeeded': endedPage,
  'checkout.session.async_payment_failed': failedPage,
  'checkout.session.expired': failedPage,
  'refund.created': refund,
  'refund.updated': refund,
  'refund.failed': refund,
  'charge.dispute.created': dispute,
  'charge.dispute.updated': dispute,
  'charge.dispute.closed': dispute,
  'charge.dispute.funds_withdrawn': dispute,
  'charge.dispute.funds_reinstated': dispute,
  'payment_intent.succeeded': paidCharge,
  'payment_intent.payment_failed': failedCharge,
  'payment_intent.canceled': failedCharge,
  'payment_method.detached': event({ id }, {}),
};

const listed = new Map(Object.entries(forms));
const any = Type.Object({ type: Type.String() });

/** Whether we can read an event, which may be of any version of Stripe's API. True for types that we ignore. */
export function hasKnownForm(event: Stripe.Event): boolean {
  return Value.Check(any, event) && Value.Check(listed.get(event.type) ?? any, event);
}

const type = (pattern: RegExp) => ({ type: Type.String({ pattern: pattern.source }) });
const unnamed = event({ metadata: Type.Optional(Type.Null()) }, type(/^checkout\./));
const named = event({ metadata: accountOnly }, type(/^(checkout|payment_intent)\./));
const reversed = event({ payment_intent: orNull(thing) }, type(/^(refund|charge\.dispute)\./));

/** Whether an unreadable event belongs to another shop or installation with our Stripe account. False if unclear. */
export async function isForeign(
  event: unknown,
  { findPaid, hasAccount }: Pick<Finders, 'findPaid' | 'hasAccount'>,
): Promise<boolean> {
  if (Value.Check(unnamed, event)) return true;
  if (Value.Check(named, event)) {
    const { darkroom_account: accountId = '' } = event.data.object.metadata;
    return !(isUuid(accountId) && (await hasAccount(accountId)));
  }
  if (!Value.Check(reversed, event)) return false;
  const { payment_intent } = event.data.object;
  return payment_intent === null || !(await findPaid(idOf(payment_intent)));
}
