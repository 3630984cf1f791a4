import Type from 'typebox';
import { amount } from '../../base/http/schemas.ts';

export const balanceSchema = Type.Object(
  {
    balance: amount('Deposited and not yet spent.'),
    reserved: amount('Reserved for jobs that are not finished.'),
    available: amount('`balance` minus `reserved`: what can be spent now.'),
    debt: Type.Optional(
      amount(
        "The account's debt, because a payment was refunded or disputed after it was spent; only while there is one. The next credits pay it first, and no jobs are accepted until it is paid.",
      ),
    ),
  },
  { $id: 'Balance' },
);
