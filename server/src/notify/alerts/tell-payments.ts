import { tellLowBalances } from './tell-low-balances.ts';
import { tellPayment } from './tell-payment.ts';
import { tellTopUp } from './tell-top-up.ts';

/** All that accounts are told of their payments. */
export const tellPayments = { tellBalances: tellLowBalances, tellPayment, tellTopUp };
