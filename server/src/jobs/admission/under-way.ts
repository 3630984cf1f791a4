import { Overloaded } from '../../base/std/overloaded.ts';

/** This process's creates that fetch inputs, or wait for a slot or for their key. */
export interface CreatesUnderWay {
  /** Adds a create. Throws `Overloaded` if the account, or the whole process, has too many. */
  enter(accountId: string): CreateUnderWay;
  /** The prices, not reserved yet, of the account's creates. */
  promisedBy(accountId: string): bigint;
}

export interface CreateUnderWay extends Disposable {
  /** The price, until it is reserved or the create is refused. */
  promised: bigint;
}

// The maximum number of creates, each of which keeps up to 512 KiB of body and a connection while it fetches inputs.
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
