import Type from 'typebox';
import { amount } from '../../base/http/schemas.ts';

export const balanceSchema = Type.Object(
  {
    balance: amount('Deposited and not yet spent.'),
    reserved: amount('Held for jobs that are not finished.'),
    available: amount('`balance` minus `reserved`: what can be spent now.'),
    debt: Type.Optional(
      amount(
        'The debt of the account, because a payment was refunded or disputed after it had been spent; only while there is one. The next credits pay it first, and no jobs are accepted before it is paid.',
      ),
    ),
  },
  { $id: 'Balance' },
);
