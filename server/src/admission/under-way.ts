import { Overloaded } from '../std/overloaded.ts';

/** The creates of this process whose inputs are being fetched, or that wait for their turn or for their key. */
export interface CreatesUnderWay {
  /** Throws `Overloaded` when the account, or all together, have too many. */
  enter(accountId: string): Place;
  /** What the account's creates under way will cost, besides what is reserved. */
  promisedBy(accountId: string): bigint;
}

export interface Place extends Disposable {
  /** The price, while it is neither reserved nor known to be too much. */
  promised: bigint;
}

// Each holds its body, up to 512 KiB, and its connection for as long as inputs may take.
const maxOfAccount = 128;
const maxInProcess = 512;

export function createUnderWay(
  limits = { ofAccount: maxOfAccount, inProcess: maxInProcess },
): CreatesUnderWay {
  const byAccount = new Map<string, Set<Place>>();
  let count = 0;
  return {
    enter(accountId) {
      const own = byAccount.get(accountId) ?? new Set();
      if (own.size >= limits.ofAccount || count >= limits.inProcess) throw new Overloaded();
      const place: Place = {
        promised: 0n,
        [Symbol.dispose]() {
          if (!own.delete(place)) return;
          count -= 1;
          if (own.size === 0) byAccount.delete(accountId);
        },
      };
      own.add(place);
      byAccount.set(accountId, own);
      count += 1;
      return place;
    },
    promisedBy(accountId) {
      let sum = 0n;
      for (const { promised } of byAccount.get(accountId) ?? []) sum += promised;
      return sum;
    },
  };
}
