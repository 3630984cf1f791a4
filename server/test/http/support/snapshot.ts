import type { World } from '../../world/world.ts';

/** Data that a refused request must not change: balances, reservations, jobs, the ledger, idempotency records. */
export async function readSnapshot({ app }: World) {
  const { read } = app.database;
  return {
    accounts: await read
      .selectFrom('accounts')
      .select(['id', 'balance_micros', 'reserved_micros'])
      .orderBy('id')
      .execute(),
    jobs: await read.selectFrom('jobs').select(['id', 'status', 'attempt']).orderBy('id').execute(),
    entries: await read.selectFrom('entries').select(['id', 'kind', 'job_id']).orderBy('id').execute(),
    keys: await read
      .selectFrom('idempotency_keys')
      .select(['account_id', 'key', 'job_id', 'holder'])
      .orderBy('account_id')
      .orderBy('key')
      .execute(),
  };
}
