import type Stripe from 'stripe';
import Type, { type TSchema } from 'typebox';
import Value from 'typebox/value';
import type { eventTypes } from './read-event.ts';

const id = Type.String({ minLength: 1 });
/** A thing of Stripe by its id, or whole. */
const thing = Type.Union([id, Type.Object({ id })]);
const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);
const amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const metadata = Type.Record(Type.String(), Type.String());

const session = Type.Object({
  ...{ payment_status: Type.String(), metadata: Type.Optional(orNull(metadata)) },
  ...{ payment_intent: orNull(thing), amount_total: orNull(amount), invoice: orNull(thing) },
  ...{ setup_intent: Type.Optional(orNull(thing)), customer: Type.Optional(orNull(thing)) },
});
const reversal = { id, amount, payment_intent: orNull(thing) };
const refund = Type.Object({ ...reversal, status: orNull(Type.String()) });
const dispute = Type.Object({ ...reversal, status: Type.String() });
const error = Type.Object({ code: Type.Optional(Type.String()) });
const intent = Type.Object({
  ...{ id, status: Type.String(), metadata, amount_received: amount },
  last_payment_error: Type.Optional(orNull(error)),
});

/** The fields that are read of the object of each event. */
const forms: Record<(typeof eventTypes)[number], TSchema> = {
  'checkout.session.completed': session,
  'checkout.session.async_payment_succeeded': session,
  'checkout.session.async_payment_failed': session,
  'checkout.session.expired': session,
  'refund.created': refund,
  'refund.updated': refund,
  'refund.failed': refund,
  'charge.dispute.created': dispute,
  'charge.dispute.updated': dispute,
  'charge.dispute.closed': dispute,
  'charge.dispute.funds_withdrawn': dispute,
  'charge.dispute.funds_reinstated': dispute,
  'payment_intent.succeeded': intent,
  'payment_intent.payment_failed': intent,
  'payment_intent.canceled': intent,
  'payment_method.detached': Type.Object({ id }),
};

const listed = new Map<string, TSchema>(
  Object.entries(forms).map(([type, object]) => [
    type,
    Type.Object({ created: Type.Integer(), data: Type.Object({ object }) }),
  ]),
);
const any = Type.Object({ type: Type.String() });

/**
 * Whether what is read of an event is there. Versions of Stripe's API differ, and an endpoint can be set to any of them. Events of
 * other types are of no concern, whatever they hold.
 */
export function hasKnownForm(event: Stripe.Event): boolean {
  return Value.Check(any, event) && Value.Check(listed.get(event.type) ?? any, event);
}
