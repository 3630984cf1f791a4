import Type from 'typebox';
import { amount } from '../../base/http/schemas.ts';

export const balanceSchema = Type.Object(
  {
    balance: amount('Deposited and not yet spent.'),
    reserved: amount('Held for jobs that are not finished.'),
    available: amount('`balance` minus `reserved`: what can be spent now.'),
    debt: Type.Optional(
      amount(
        'What the account owes, because a payment was taken back after it had been spent: there only while it does. The next credits pay it first, and no jobs are accepted before it is paid.',
      ),
    ),
  },
  { $id: 'Balance' },
);
