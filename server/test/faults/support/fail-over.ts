import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findViolations } from '../../../src/jobs/upkeep/verify/find-violations.ts';
import { type Pair, startPair } from '../../world/postgres-pair.ts';
import { openWorld, type World } from '../../world/world.ts';

const clients = 8;
const againMs = 20;

export interface FailedOver {
  acknowledged: number;
  /** Acknowledged jobs that the new primary lacks; `doubled` counts further jobs under the same key. */
  lost: number;
  doubled: number;
  backMs: number;
  onOldPrimary: number;
}

export async function failOver(): Promise<FailedOver> {
  await using pair = await startPair();
  await using world = await openWorld({ worker: false, env: { DATABASE_URL: pair.url } });
  using load = startLoad(world);
  await load.acknowledge(100);
  await pair.killPrimary();
  await sleep(200); // creates are refused during this time
  const before = load.acknowledged.size;
  const promotedAt = performance.now();
  await pair.promote();
  await load.acknowledge(before + 1);
  const backMs = performance.now() - promotedAt;
  await load.acknowledge(before + 100);

  await pair.startOldPrimary();
  const old = await countJobs(pair.primaryUrl);
  await world.restart(); // the restarted process does not know the new primary, and the address names the old one first
  await load.acknowledge(load.acknowledged.size + 100);
  await load.stop();
  return {
    ...(await compare(load.acknowledged, pair)),
    backMs,
    onOldPrimary: (await countJobs(pair.primaryUrl)) - old,
  };
}

export interface LostTail {
  /** Creates that the standby had received; `tail` counts later ones. */
  received: number;
  tail: number;
  /** How many of each the new primary lacks. */
  receivedLost: number;
  tailLost: number;
  /** Keys with more than one job, after the clients have repeated the lost creates. */
  doubled: number;
  violations: string[];
}

/** The primary dies with its latest writes, because its standby was disconnected. The standby takes over. */
export async function loseTail(): Promise<LostTail> {
  await using pair = await startPair({ waits: false });
  await using world = await openWorld({ env: { DATABASE_URL: pair.url } });
  using load = startLoad(world);
  await load.acknowledge(100);
  const received = new Set(load.acknowledged);
  await untilReceived(pair);
  await pair.killStandby();
  await load.acknowledge(load.acknowledged.size + 100);
  await pair.killPrimary();
  const tail = [...load.acknowledged].filter((id) => !received.has(id));
  await pair.startStandby();
  await pair.promote();
  await load.acknowledge(load.acknowledged.size + 100);
  await load.stop();
  const kept = await jobsOf(pair);
  await load.sendAllAgain();
  const violations = await findViolations(world.app.database.read);
  const keys = await query<{ jobs: string }>(
    pair.standbyUrl,
    'select count(*) as jobs from jobs group by idempotency_key having count(*) > 1',
  );
  return {
    received: received.size,
    tail: tail.length,
    receivedLost: [...received].filter((id) => !kept.has(id)).length,
    tailLost: tail.filter((id) => !kept.has(id)).length,
    doubled: keys.length,
    violations: [...violations].map(({ invariant, detail }) => `${invariant}: ${detail}`),
  };
}

async function untilReceived({ primaryUrl, standbyUrl }: Pair): Promise<void> {
  const [written] = await query<{ at: string }>(primaryUrl, 'select pg_current_wal_lsn() as at');
  const has = `select pg_last_wal_receive_lsn() >= '${written?.at}' as has`;
  while (!(await query<{ has: boolean }>(standbyUrl, has))[0]?.has) await sleep(againMs);
}

async function jobsOf({ standbyUrl }: Pair): Promise<Set<string>> {
  return new Set((await query<{ id: string }>(standbyUrl, 'select id from jobs')).map(({ id }) => id));
}

function startLoad(world: World) {
  const acknowledged = new Set<string>();
  const keys = new Set<string>();
  let isOver = false;
  let isAbandoned = false;
  let nextKey = 0;
  const create = async (key: string) => {
    while (!isAbandoned) {
      const reply = await world
        .send('POST', '/nb/text-generations', {
          body: { prompt: 'a fox', aspect_ratio: '1:1' },
          headers: { 'idempotency-key': key },
        })
        .catch(() => undefined);
      if (reply?.status === 202) {
        keys.add(key);
        acknowledged.add(String(reply.body.job_id));
        return;
      }
      if (reply && reply.status !== 503) throw new Error(`${reply.status}: ${JSON.stringify(reply.body)}`);
      await sleep(againMs);
    }
  };
  const running = Array.from({ length: clients }, async () => {
    while (!isOver) await create(`failover-${nextKey++}`);
  });
  return {
    acknowledged,
    async acknowledge(count: number) {
      while (acknowledged.size < count) await Promise.race([sleep(1), ...running]);
    },
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
    async sendAllAgain() {
      const left = [...keys].values();
      const send = async () => {
        for (const key of left) await create(key);
      };
      await Promise.all(Array.from({ length: clients }, send));
    },
    [Symbol.dispose]() {
      isOver = true;
      isAbandoned = true;
    },
  };
}

async function compare(acknowledged: ReadonlySet<string>, pair: Pair) {
  const jobs = await jobsOf(pair);
  const lost = [...acknowledged].filter((id) => !jobs.has(id)).length;
  return { acknowledged: acknowledged.size, lost, doubled: jobs.size - acknowledged.size + lost };
}

async function countJobs(url: string): Promise<number> {
  return (await query(url, 'select id from jobs')).length;
}

async function query<Row extends pg.QueryResultRow>(connectionString: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<Row>(text).finally(() => client.end());
  return rows;
}
