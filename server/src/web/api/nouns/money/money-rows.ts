import type { WrittenRow } from '../../installation-call.ts';
import { allPaymentsCall } from '../payments/all-payments-call.ts';
import { billCheckCall } from './bill-check-call.ts';
import { creditCalls } from './credit-calls.ts';
import { marginCalls } from './margin-calls.ts';
import { owedCalls } from './owed-calls.ts';
import { type RateDeps, rateCalls } from './rate-calls.ts';

export type MoneyDeps = Parameters<typeof billCheckCall>[0] &
  Parameters<typeof allPaymentsCall>[0] &
  Parameters<typeof creditCalls>[0] &
  Parameters<typeof marginCalls>[0] &
  Parameters<typeof owedCalls>[0] &
  RateDeps;

export function moneyRows(deps: MoneyDeps) {
  const credit = creditCalls(deps);
  const margin = marginCalls(deps);
  const owed = owedCalls(deps);
  const rate = rateCalls(deps);
  return [
    ['POST', '/accounts/:account/credits', 'money', credit.credit],
    ['POST', '/accounts/:account/debits', 'money', credit.debit],
    ['GET', '/payments', 'money', allPaymentsCall(deps)],
    ['GET', '/margins', 'money', margin.get],
    ['GET', '/margins/alerts', 'money', margin.alerts],
    ['GET', '/margins.csv', 'money', margin.table],
    ['GET', '/owed', 'money', owed.get],
    ['GET', '/owed.csv', 'money', owed.table],
    ['GET', '/statements', 'money', owed.listStatements],
    ['GET', '/statements/:month', 'money', owed.getStatement],
    ['GET', '/statements/:month/csv', 'money', owed.statementTable],
    ['POST', '/costs/check', 'money', billCheckCall(deps)],
    ['GET', '/rates', 'money', rate.list],
    ['PATCH', '/rates', 'money', rate.save],
  ] as const satisfies readonly WrittenRow[];
}
