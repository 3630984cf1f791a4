import type { TransactionKind } from './plan.ts';

// Part of a statement that only a transaction of this kind sends.
const marks: [TransactionKind, RegExp][] = [
  ['create', /insert into jobs \(/],
  ['claim', /attempt = attempt \+ 1/],
  ['finish', /update jobs set status = ends\.status/],
];

export function kindOfStatement(text: string): TransactionKind | undefined {
  return marks.find(([, mark]) => mark.test(text))?.[0];
}
