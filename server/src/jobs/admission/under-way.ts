import { Overloaded } from '../../base/std/overloaded.ts';

/** This process's creates that are fetching inputs, or waiting for a slot or a request with the same key. */
export interface CreatesUnderWay {
  /** Adds a create. Throws `Overloaded` if the account, or the whole process, has too many. */
  enter(accountId: string): CreateUnderWay;
  /** Sums the prices of the account's creates that are not reserved yet. */
  promisedBy(accountId: string): bigint;
}

export interface CreateUnderWay extends Disposable {
  /** The create's price while its inputs are fetched; 0 before and after. */
  promised: bigint;
}

// The maximum number of creates. Each keeps up to 512 KiB of body and a connection while it fetches inputs.
const maxOfAccount = 128;
const maxInProcess = 512;

export function createUnderWay(
  limits = { ofAccount: maxOfAccount, inProcess: maxInProcess },
): CreatesUnderWay {
  const all = new Set<CreateUnderWay & { accountId: string }>();
  const of = (accountId: string) => [...all].filter((create) => create.accountId === accountId);
  return {
    enter(accountId) {
      if (all.size >= limits.inProcess || of(accountId).length >= limits.ofAccount) throw new Overloaded();
      const create = { accountId, promised: 0n, [Symbol.dispose]: () => void all.delete(create) };
      all.add(create);
      return create;
    },
    promisedBy: (accountId) => of(accountId).reduce((sum, { promised }) => sum + promised, 0n),
  };
}
