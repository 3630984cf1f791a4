import type { TransactionKind } from './plan.ts';

// Each expression matches part of a statement that only transactions of this kind send.
const marks: [TransactionKind, RegExp][] = [
  ['create', /insert into jobs \(/],
  ['claim', /attempt = attempt \+ 1/],
  ['finish', /update jobs set status = ends\.status/],
];

export function kindOfStatement(text: string): TransactionKind | undefined {
  return marks.find(([, mark]) => mark.test(text))?.[0];
}
