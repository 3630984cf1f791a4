import { accountOf, countedAccountOf } from '../accounts/account-of.ts';
import { listAccountPage } from '../accounts/account-store.ts';
import { createAccount } from '../accounts/create-account.ts';
import { creditAccount, type Moved } from '../accounts/credit-account.ts';
import { debitAccount, noSuchCredit } from '../accounts/debit-account.ts';
import { disableAccount, enableAccount } from '../accounts/disable-account.ts';
import { presentAccount } from '../accounts/present-account.ts';
import { tellLowBalances } from '../alerts/tell-low-balances.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';
import { readCursor, toPage, writeCursor } from '../http/cursor.ts';
import { readAmount } from '../ledger/read-amount.ts';
import type { Clock } from '../std/clock.ts';
import type { Sealer } from '../std/sealer.ts';
import type { OpaqueIds } from '../std/sealing/opaque-ids.ts';
import { replaceEndpoint } from '../webhooks/endpoints/change-endpoint.ts';
import { assertTarget, type CheckTarget } from '../webhooks/webhook-target.ts';

export interface AccountVerbDeps {
  database: Database;
  clock: Clock;
  checkTarget: CheckTarget;
  /** Opened on demand. */
  openSealer(): Promise<Sealer>;
  openIds(): Promise<OpaqueIds>;
}

export interface NewAccountJson {
  name: string;
  /** The first credit, a decimal amount. */
  credit?: string;
  webhook?: string;
  /** Of the request: the same again returns the account that the first one made. */
  idempotencyKey?: string | null;
}

export interface CreditJson {
  amount: string;
  reason?: string;
  reference?: string;
  /** Of the request: the same again adds nothing. */
  idempotencyKey?: string | null;
}

export interface DebitJson {
  amount: string;
  reason: string;
  /** The `entry_id` of a credit. */
  corrects?: string;
  reference?: string;
}

const mostListed = 100;

/** Accounts and their money. In and out is JSON, in all verbs: amounts are decimal strings, times ISO 8601. */
export function accountVerbs(deps: AccountVerbDeps, by: Actor) {
  const { database } = deps;
  const read = async (account: string) => presentAccount(await countedAccountOf(database.read, account));
  const presentMoved = async ({ isReplay, entryId, ...account }: Moved) => ({
    ...presentAccount({ ...(await countedAccountOf(database.read, account.id)), ...account }),
    entry_id: entryId === null ? null : (await deps.openIds()).seal('entry', entryId),
    replayed: isReplay,
  });
  return {
    async createAccount({ name, credit, webhook, idempotencyKey = null }: NewAccountJson) {
      const creditMicros = credit === undefined ? 0n : readAmount('/credit', credit);
      // Check the URL first, so that a wrong one leaves no account behind.
      if (webhook !== undefined) assertTarget(deps.checkTarget, webhook);
      const sealer = webhook === undefined ? undefined : await deps.openSealer();
      const created = await createAccount(deps, { name, creditMicros, idempotencyKey }, by);
      if (webhook !== undefined && sealer)
        await replaceEndpoint({ ...deps, sealer }, { account: created.id, url: webhook }, by);
      return read(created.id);
    },
    /** The newest first; those whose name contains the text, or the one with that id. */
    async listAccounts({
      search,
      cursor,
      limit = mostListed,
    }: {
      search?: string;
      cursor?: string;
      limit?: number;
    } = {}) {
      const [before] = readCursor(cursor, ['id']) ?? [];
      const accounts = await listAccountPage(database.read, { search, before, limit: limit + 1 });
      return toPage(accounts.map(presentAccount), limit, (last) => writeCursor([last.account_id]));
    },
    /** `account` is an id or a name, here and in every verb. */
    getAccount: read,
    async creditAccount(account: string, { amount, ...credit }: CreditJson) {
      const amountMicros = readAmount('/amount', amount);
      return presentMoved(await creditAccount(deps, { ...credit, account, amountMicros }, by));
    },
    async debitAccount(account: string, { amount, corrects: entry, ...named }: DebitJson) {
      const amountMicros = readAmount('/amount', amount);
      const told = { database, tellBalances: tellLowBalances };
      const ids = await deps.openIds();
      const corrects = entry === undefined ? {} : { corrects: readEntryId(ids, entry) };
      const debit = { ...named, ...corrects, account, amountMicros };
      return presentMoved(await debitAccount(told, debit, by));
    },
    async disableAccount(account: string, { reason }: { reason: string }) {
      const { id: accountId } = await accountOf(database.read, account);
      await disableAccount(deps, { accountId, reason }, by);
      return read(accountId);
    },
    async enableAccount(account: string) {
      const { id: accountId } = await accountOf(database.read, account);
      await enableAccount(deps, { accountId }, by);
      return read(accountId);
    },
  };
}

/** @throws AppError `invalid_request` */
function readEntryId(ids: OpaqueIds, text: string): number {
  const id = ids.open('entry', text);
  if (id === undefined) throw noSuchCredit();
  return id;
}
