import type { Operator } from '@darkroom/server/operator';

/**
 * The result of an operator verb. Names are those of the JSON; times are ISO 8601, amounts decimal strings.
 */
export type Answer<Verb extends Exclude<keyof Operator, symbol>> = Awaited<ReturnType<Operator[Verb]>>;

/** The server's operations, run on its data beside a running server. Client verbs never load them. */
export async function withOperator<Result>(work: (operator: Operator) => Promise<Result>): Promise<Result> {
  const { openOperator } = await import('@darkroom/server/operator');
  await using operator = await openOperator(process.env);
  return await work(operator);
}
