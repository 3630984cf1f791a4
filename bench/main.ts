import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measureCrowd } from './crowd.ts';
import { measureDay } from './day/day.ts';
import { measureDisk } from './disk.ts';
import { measureHistory } from './history.ts';
import { measureImprints } from './imprints.ts';
import { measureInputs } from './inputs.ts';
import { measureLimits } from './limits.ts';
import {
  createLoad,
  createOne,
  type Load,
  type Measured,
  measure,
  pollLoad,
  readOne,
  startTarget,
  type Target,
  untilIdle,
} from './load.ts';
import { measureMargins } from './margins.ts';
import { measureEngines } from './peers/engines.ts';
import { measureGateways } from './peers/gateways.ts';
import { measurePgbench } from './pgbench.ts';
import { measureRetention } from './retention.ts';
import { measureSearch } from './search.ts';
import { startDatabase } from './start-database.ts';

// npm run bench [-- --only creates,polls] [--database sqlite|postgres] [--rounds 5] [--past 1000000] [--minutes 60]
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    database: { type: 'string', default: 'sqlite,postgres' },
    rounds: { type: 'string', default: '5' },
    grown: { type: 'string', default: '2000000' },
    past: { type: 'string', default: '1000000' },
    minutes: { type: 'string', default: '60' },
  },
});
const rounds = Number(values.rounds);

const scenarios: Record<string, () => Promise<void>> = {
  creates: () => besideBare('creates, 64 connections', createLoad),
  polls: async () => besideBare('polls of a finished job, 64 connections', undefined),
  started: acceptedToStarted,
  throughput: acceptedToDone,
  disk: () => measureDisk(say, rounds),
  engines: () => measureEngines(say, rounds),
  gateways: () => measureGateways(say, rounds),
  inputs: () => measureInputs(say, rounds),
  limits: () => measureLimits(say, rounds),
  grown: grownTables,
  pgbench: besidePgbench,
  search: () => measureSearch(say),
  crowd: () => measureCrowd(say),
  history: () => measureHistory(say, { jobs: Number(values.past), rounds }),
  imprints: () => measureImprints(say, Number(values.past)),
  margins: () => measureMargins(say, { jobs: Number(values.past), rounds }),
  retention: () => measureRetention(say, { jobs: Number(values.past), rounds }),
};

// The `day` scenario takes an hour, so it runs only if `--only` names it.
const named = { ...scenarios, day: () => measureDay(say, { minutes: Number(values.minutes) }) };
const only = values.only?.split(',') ?? Object.keys(scenarios);
say(
  `# Speed\n\n${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, load`,
);
say(
  'generator on the same machine. Compare ratios, not absolute figures: they are medians of interleaved rounds, Darkroom and the reference in turn.',
);
for (const database of values.database.split(',')) {
  say(`\n## ${database === 'postgres' ? 'PostgreSQL' : 'SQLite'}\n`);
  await using _ = await startDatabase(database);
  for (const name of only) await named[name as keyof typeof named]?.();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function besideBare(name: string, load: Load | undefined): Promise<void> {
  await using bare = await startTarget('--bare');
  await using ours = await startTarget(...(load ? [] : ['--role', 'all']));
  const request = load ?? (await pollLoad(ours));
  await compare(name, [
    ['bare Fastify', bare, request],
    ['Darkroom', ours, request],
  ]);
}

async function compare(name: string, contenders: [string, Target, Load][]): Promise<void> {
  const results = new Map<string, Measured[]>(contenders.map(([who]) => [who, []]));
  for (const [, target, load] of contenders) await measure(target, { ...load, seconds: 1 });
  for (let round = 0; round < rounds; round++) {
    for (const [who, target, load] of contenders) results.get(who)?.push(await measure(target, load));
  }
  say(`### ${name}\n`);
  say('| | per second | CPU µs per request | p50 ms | p99 ms |\n|---|---|---|---|---|');
  for (const [who, list] of results) {
    const of = (key: keyof Measured) => median(list.map((one) => one[key]));
    say(
      `| ${who} | ${Math.round(of('perSecond')).toLocaleString('en')} | ${of('cpuMicros').toFixed(1)} | ${of('p50')} | ${of('p99')} |`,
    );
  }
  const [reference = [], ours = []] = [...results.values()];
  const ratios = ours.map((one, round) => one.perSecond / (reference[round]?.perSecond ?? 1));
  say(`\nratio, median of ${rounds} rounds: **${(median(ratios) * 100).toFixed(0)} %**\n`);
}

async function acceptedToStarted(): Promise<void> {
  await using target = await startTarget('--role', 'all');
  const delays: number[] = [];
  for (let i = 0; i < 300; i++) {
    const job = await readOne(target, await createOne(target));
    delays.push(Date.parse(job.started_at) - Date.parse(job.created_at));
  }
  delays.sort((a, b) => a - b);
  say(
    `### accepted to started, idle, one process\n\np50 ${delays[150]} ms, p99 ${delays[297]} ms, of ${delays.length} jobs\n`,
  );
}

async function acceptedToDone(): Promise<void> {
  for (const [store, flags] of [
    ['images in memory', ['--memory']],
    ['images on disk, every one synced', []],
  ] as const) {
    await using target = await startTarget('--role', 'all', ...flags);
    await measure(target, { ...createLoad, seconds: 1 });
    await untilIdle(target);
    const startedAt = performance.now();
    const { requests, perSecond } = await measure(target, {
      ...createLoad,
      seconds: store === 'images in memory' ? 6 : 2,
    });
    await untilIdle(target);
    const seconds = (performance.now() - startedAt) / 1000;
    say(`### accepted to done, one process, ${store}\n`);
    say(
      `${Math.round(requests / seconds).toLocaleString('en')} jobs per second (${requests} jobs, accepted at ${Math.round(perSecond).toLocaleString('en')} per second)\n`,
    );
  }
}

async function grownTables(): Promise<void> {
  await using small = await startTarget('--role', 'all', '--memory', '--finished', '2000');
  await using large = await startTarget('--role', 'all', '--memory', '--finished', values.grown);
  const count = Number(values.grown).toLocaleString('en');
  await compare(`polls with ${count} finished jobs`, [
    ['2,000 jobs', small, await pollLoad(small)],
    [`${count} jobs`, large, await pollLoad(large)],
  ]);
  await compare(`creates with ${count} finished jobs, worker running`, [
    ['2,000 jobs', small, createLoad],
    [`${count} jobs`, large, createLoad],
  ]);
}

async function besidePgbench(): Promise<void> {
  await using target = await startTarget();
  const { databaseUrl, accountId } = target;
  if (databaseUrl === undefined || accountId === undefined) return; // SQLite
  await measure(target, { ...createLoad, seconds: 1 });
  const ratios: number[] = [];
  say(
    '### creates on one account, compared with pgbench that runs the same statements, one transaction each\n',
  );
  say('| creates per second, 64 connections | pgbench, 8 clients | pgbench, 64 clients |\n|---|---|---|');
  for (let round = 0; round < rounds; round++) {
    const { perSecond } = await measure(target, createLoad);
    const rates: number[] = [];
    for (const clients of [8, 64]) {
      const rate = await measurePgbench({ databaseUrl, accountId, clients, seconds: 4 });
      if (rate === undefined) return say('\nThere is no pgbench on this machine.\n');
      rates.push(rate);
    }
    ratios.push(perSecond / Math.max(...rates));
    say(`| ${[perSecond, ...rates].map((rate) => Math.round(rate).toLocaleString('en')).join(' | ')} |`);
  }
  say(`\nratio to the better one, median of ${rounds} rounds: **${median(ratios).toFixed(1)}**\n`);
}

function median(list: number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
}
