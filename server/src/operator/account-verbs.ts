import { type Account, findAccount, listAccounts } from '../accounts/account-store.ts';
import { commandLine } from '../accounts/audit-store.ts';
import { createAccount } from '../accounts/create-account.ts';
import { type Credit, creditAccount } from '../accounts/credit-account.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { formatMicros, parseMicros } from '../ledger/money.ts';
import { readStatement } from '../ledger/read-statement.ts';
import { type Statement, statementHeader, statementRows } from '../ledger/statement.ts';
import type { Clock } from '../std/clock.ts';
import { toIso } from '../std/iso-time.ts';
import type { Sealer } from '../std/sealer.ts';
import { setWebhook } from '../webhooks/endpoints/set-webhook.ts';
import { assertTarget, type CheckTarget } from '../webhooks/endpoints/webhook-target.ts';

/** Accounts and their money, as JSON: amounts are decimal strings, times ISO 8601. */
export function accountVerbs(deps: {
  database: Database;
  clock: Clock;
  checkTarget: CheckTarget;
  openSealer: () => Promise<Sealer>;
  currency: string;
}) {
  return {
    async createAccount({
      webhookUrl,
      ...account
    }: {
      name: string;
      creditMicros?: bigint;
      webhookUrl?: string;
    }) {
      // Check the URL first, so that a wrong one leaves no account behind.
      if (webhookUrl !== undefined) assertTarget(deps.checkTarget, webhookUrl);
      const sealer = webhookUrl === undefined ? undefined : await deps.openSealer();
      const created = await createAccount(deps, account, commandLine);
      if (webhookUrl !== undefined && sealer)
        await setWebhook({ ...deps, sealer }, { account: created.id, url: webhookUrl }, commandLine);
      return presentAccount(created);
    },
    async listAccounts() {
      const accounts = await listAccounts(deps.database.read);
      return accounts.map((account) => ({
        ...presentAccount(account),
        reserved: formatMicros(account.reservedMicros),
        available: formatMicros(account.balanceMicros - account.reservedMicros),
        created_at: toIso(account.createdAt),
      }));
    },
    /** `account` is an id or a name, here and in every verb. */
    async creditAccount(credit: Credit) {
      return presentAccount(await creditAccount(deps, credit, commandLine));
    },
    /** A month of an account, such as `2026-10`. */
    async readStatement(idOrName: string, month: string) {
      const account = await findAccount(deps.database.read, idOrName);
      if (!account) throw new AppError('not_found', `There is no account "${idOrName}".`);
      return readStatement(deps.database.read, account, { month, currency: deps.currency });
    },
    /** As CSV. Nothing in it needs quotes. */
    statementTable(statement: Statement): string {
      return [statementHeader, ...statementRows(statement)].map((row) => row.join(',')).join('\n');
    },
    /** `10`, `0.05`. @throws AppError `invalid_request` */
    parseAmount(text: string): bigint {
      const micros = parseMicros(text);
      if (micros !== undefined) return micros;
      throw new AppError(
        'invalid_request',
        `"${text}" is not an amount. Write it like 10 or 0.05, with at most six decimals.`,
      );
    },
  };
}

function presentAccount({ id, name, balanceMicros }: Account) {
  return { account_id: id, name, balance: formatMicros(balanceMicros) };
}
