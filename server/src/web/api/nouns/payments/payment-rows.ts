import { row } from '../../account-call.ts';
import { type PaymentCallDeps, paymentCalls } from './payment-calls.ts';
import { type TopUpDeps, topUpCalls } from './top-up-calls.ts';

export type PaymentDeps = PaymentCallDeps & TopUpDeps;

export function paymentRows(deps: PaymentDeps) {
  const payment = paymentCalls(deps);
  const topUp = topUpCalls(deps);
  const readsMoney = { right: 'see_money', scope: 'money', byKeys: true } as const;
  const pays = { right: 'set_alerts', scope: null, byKeys: true } as const;
  const seesTopUp = { right: 'see_money', scope: null, byKeys: false } as const;
  const setsTopUp = { right: 'set_top_up', scope: null, byKeys: false } as const;
  return [
    row('GET', '/payments', readsMoney, payment.list),
    row('POST', '/payments', pays, payment.create),
    row('GET', '/payments/:payment_id', readsMoney, payment.get),
    row('GET', '/top-up', seesTopUp, topUp.get),
    row('PUT', '/top-up', setsTopUp, topUp.set),
    row('DELETE', '/top-up', setsTopUp, topUp.remove),
    row('POST', '/top-up/card', setsTopUp, topUp.openCardPage),
  ] as const;
}
