import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Measures how many transactions per second pgbench completes, each with the statements of a create on one account.
 * Returns undefined if pgbench is not installed.
 */
export async function measurePgbench({
  databaseUrl,
  accountId,
  clients,
  seconds,
}: {
  databaseUrl: string;
  accountId: string;
  clients: number;
  seconds: number;
}): Promise<number | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-pgbench-'));
  try {
    const script = join(folder, 'admission.sql');
    await writeFile(script, admissionOf(accountId));
    const flags = ['--no-vacuum', '--protocol=prepared', `--client=${clients}`, `--time=${seconds}`];
    const { stdout } = await run('pgbench', [...flags, `--file=${script}`, databaseUrl]);
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function admissionOf(accountId: string): string {
  const job = `('01a1f874-b06b-7333-b899-' || lpad(to_hex(:id::bigint), 12, '0'))::uuid`;
  return `\\set id random(1, 281474976710655)
begin;
select id, balance_micros, reserved_micros from accounts where id = '${accountId}' for no key update;
select * from idempotency_keys where account_id = '${accountId}' and key = to_hex(:id::bigint);
select scope, reason, until from pauses where until is null or until > now_ms();
insert into jobs (id, account_id, key_id, model, mode, prompt, requested_ratio, aspect_ratio, resolution, price_micros,
  callback_url, idempotency_key, inputs, status, attempt, claimable_at, failures, created_at)
  values (${job}, '${accountId}', '${accountId}', 'nb2', 'text', 'a lighthouse at dusk', '16:9', '16:9', '1K', 40000,
  null, to_hex(:id::bigint), '[]', 'queued', 0, now_ms(), '[]', now_ms());
insert into entries (account_id, job_id, kind, amount_micros, created_at)
  values ('${accountId}', ${job}, 'reserve', 40000, now_ms());
update accounts set reserved_micros = reserved_micros + 40000 where id = '${accountId}';
insert into idempotency_keys (account_id, key, fingerprint, job_id, created_at)
  values ('${accountId}', to_hex(:id::bigint), '0000000000000000000000000000000000000000000000000000000000000000', ${job}, now_ms());
commit;
`;
}
