import type { Tx } from '../base/db/schema.ts';
import type { Entry } from '../money/ledger/entry.ts';
import type { LockedAccount } from '../money/ledger/ledger-store.ts';

/** Notifies accounts whose balance fell below their threshold. It is passed in: this folder cannot import `alerts`. */
export type TellBalances = (
  tx: Tx,
  locked: readonly LockedAccount[],
  entries: readonly Entry[],
) => Promise<void>;
