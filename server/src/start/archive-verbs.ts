import { findAccount } from '../accounts/account-store.ts';
import { commandLine } from '../accounts/audit-store.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { openStore } from '../images/open-store.ts';
import { eraseAccount } from '../upkeep/erase-account.ts';
import { exportAccount } from '../upkeep/export-account.ts';

/** The archive of an account, and its end. */
export function archiveVerbs({ database, config }: { database: Database; config: Config }) {
  return {
    /** A zip archive, piece by piece. `account` is an id or a name. */
    async *exportAccount(account: string): AsyncGenerator<Buffer> {
      const found = await findAccount(database.read, account);
      if (!found) throw new AppError('not_found', `There is no account "${account}".`);
      await using stack = new AsyncDisposableStack();
      const images = await openStore(config);
      stack.defer(() => images[Symbol.asyncDispose]?.());
      yield* exportAccount({ database, images }, found.id, commandLine);
    },
    /** `name` confirms it. */
    async eraseAccount(erasure: { account: string; name: string }) {
      await using stack = new AsyncDisposableStack();
      const images = await openStore(config);
      stack.defer(() => images[Symbol.asyncDispose]?.());
      const deps = {
        database,
        images,
        // Workers notice by their leases, and are told.
        routes: { list: () => [] },
        onSettled: () => database.notify('finished'),
        onTakenAway: () => database.notify('taken_away'),
      };
      const { accountId, jobs, objects } = await eraseAccount(deps, erasure, commandLine);
      return { account_id: accountId, jobs, objects };
    },
  };
}
