import { median } from '../in-turn.ts';
import { createLoad, measure, startTarget, type Target, untilIdle } from '../load.ts';
import { engines } from './engine.ts';

const seconds = 6;

/** Compares Darkroom with engines that only run jobs. Darkroom keeps its images in memory here. */
export async function measureEngines(say: (line: string) => void, rounds: number): Promise<void> {
  if (!process.env.TEST_DATABASE_URL) return say('The other engines need PostgreSQL.\n');
  const contenders: Record<string, string[]> = { Darkroom: ['--role', 'all', '--memory'] };
  for (const engine of engines) contenders[engine] = ['--engine', engine];
  const results = new Map(Object.keys(contenders).map((name) => [name, [] as Measured[]]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, flags] of Object.entries(contenders)) {
      await using target = await startTarget(...flags);
      results.get(name)?.push(await measureEngine(target));
    }
  }
  say('### jobs, accepted to done, one process and 64 connections\n');
  say(
    '| | accepted per second | done per second | CPU µs per job | p50 ms | p99 ms |\n|---|---|---|---|---|---|',
  );
  for (const [name, list] of results) {
    const of = (key: keyof Measured) => Math.round(median(list.map((one) => one[key]))).toLocaleString('en');
    say(`| ${name} | ${of('accepted')} | ${of('done')} | ${of('cpuMicros')} | ${of('p50')} | ${of('p99')} |`);
  }
  say('');
}

interface Measured {
  accepted: number;
  done: number;
  /** The processor time of the target's process, without the database. */
  cpuMicros: number;
  p50: number;
  p99: number;
}

async function measureEngine(target: Target): Promise<Measured> {
  await measure(target, { ...createLoad, seconds: 1 });
  await untilIdle(target);
  const before = await target.state();
  const startedAt = performance.now();
  const { requests, perSecond, p50, p99 } = await measure(target, { ...createLoad, seconds });
  await untilIdle(target);
  const tookMs = performance.now() - startedAt;
  const { cpuMicros } = await target.state();
  return {
    accepted: perSecond,
    done: (requests * 1000) / tookMs,
    cpuMicros: (cpuMicros - before.cpuMicros) / requests,
    p50,
    p99,
  };
}
