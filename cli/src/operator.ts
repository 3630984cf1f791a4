import type { Operator } from './operator-contract.ts';

/** The server's operations on its own data, beside a server that runs. Client verbs never load them. */
export async function withOperator<Result>(work: (operator: Operator) => Promise<Result>): Promise<Result> {
  const { openOperator } = await import('@darkroom/server/operator');
  await using operator: Operator = await openOperator(process.env);
  return await work(operator);
}
