import { Overloaded } from '../../base/std/overloaded.ts';

/** This process's creates that are fetching inputs, or waiting for a slot or for their key. */
export interface CreatesUnderWay {
  /** Adds a create. Throws `Overloaded` if the account, or the whole process, has too many. */
  enter(accountId: string): CreateUnderWay;
  /** The prices of the account's creates that are not yet reserved. */
  promisedBy(accountId: string): bigint;
}

export interface CreateUnderWay extends Disposable {
  /** The price until it is reserved or the create is refused. */
  promised: bigint;
}

// Each create keeps its body, up to 512 KiB, and its connection while inputs are fetched.
const maxOfAccount = 128;
const maxInProcess = 512;

export function createUnderWay(
  limits = { ofAccount: maxOfAccount, inProcess: maxInProcess },
): CreatesUnderWay {
  const byAccount = new Map<string, Set<CreateUnderWay>>();
  let count = 0;
  return {
    enter(accountId) {
      const own = byAccount.get(accountId) ?? new Set();
      if (own.size >= limits.ofAccount || count >= limits.inProcess) throw new Overloaded();
      const create: CreateUnderWay = {
        promised: 0n,
        [Symbol.dispose]() {
          if (!own.delete(create)) return;
          count -= 1;
          if (own.size === 0) byAccount.delete(accountId);
        },
      };
      own.add(create);
      byAccount.set(accountId, own);
      count += 1;
      return create;
    },
    promisedBy(accountId) {
      let sum = 0n;
      for (const { promised } of byAccount.get(accountId) ?? []) sum += promised;
      return sum;
    },
  };
}
