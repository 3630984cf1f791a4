import type { World } from '../../world/world.ts';

export async function addEndedJobs(world: World, count: number): Promise<void> {
  const { database } = world.app;
  const now = world.clock.nowMs();
  const hex = (value: number, digits: number) => Math.trunc(value).toString(16).padStart(digits, '0');
  for (let done = 0; done < count; done += 200) {
    await database.transaction(async (tx) => {
      const jobs = Array.from({ length: 200 }, (_, index) => {
        const at = now - (count - done - index) * 60_000;
        const time = hex(at, 12);
        return { id: `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${hex(done + index, 12)}`, at };
      });
      const account_id = world.accountId;
      const zero = { account_id, amount_micros: 0n };
      await tx
        .insertInto('jobs')
        .values(
          jobs.map(({ id, at }) => ({ ...failedJob, id, account_id, key_id: account_id, ...timesOf(at) })),
        )
        .execute();
      await tx
        .insertInto('entries')
        .values(
          jobs.flatMap(({ id, at }) => [
            { ...zero, job_id: id, kind: 'reserve' as const, created_at: at },
            { ...zero, job_id: id, kind: 'release' as const, created_at: at },
          ]),
        )
        .execute();
      await tx
        .insertInto('events')
        .values(
          jobs.map(({ id, at }) => ({
            id: `evt_${id}`,
            account_id,
            job_id: id,
            type: 'job.failed' as const,
            created_at: at,
          })),
        )
        .execute();
    });
  }
}

const failedJob = {
  model: 'nb2',
  mode: 'text',
  prompt: 'a fox '.repeat(100),
  requested_ratio: '1:1',
  aspect_ratio: '1:1',
  resolution: '1K',
  price_micros: 0n,
  inputs: '[]',
  status: 'failed',
  attempt: 1,
  failures: '[]',
  error: 'no',
  error_code: 'internal',
} as const;

function timesOf(at: number) {
  return { claimable_at: at, created_at: at, started_at: at, finished_at: at + 1_000 };
}
