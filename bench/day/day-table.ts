import { median } from '../in-turn.ts';
import { type Kind, kinds } from './day-calls.ts';

/** The figures of one minute. Memory and descriptors are summed over a server's processes. */
export interface Sample {
  rssMb: number;
  /** The size of the JavaScript heap, including garbage. */
  heapMb: number;
  descriptors: number;
  /** The number of stored jobs, which is stable once removals keep up with creates. */
  jobs: number;
  p99: Record<Kind, number>;
}

const allowed = { memory: 1.1, heap: 1.2, descriptors: 1.1, p99: 2 };

export function tellHead(say: (line: string) => void, { minutes }: { minutes: number }): void {
  say(`### a mixed load for ${minutes} minutes\n`);
  say(
    `| minute | MB | heap, MB | descriptors | jobs | ${kinds.map((kind) => `p99 of ${kind}, ms`).join(' | ')} |`,
  );
  say(`|---|---|---|---|---|${kinds.map(() => '---|').join('')}`);
}

export function tellSample(
  say: (line: string) => void,
  minute: number,
  { rssMb, heapMb, descriptors, jobs, p99 }: Sample,
): void {
  const times = kinds.map((kind) => Math.round(p99[kind]));
  say(`| ${[minute, rssMb, heapMb, descriptors, jobs, ...times].join(' | ')} |`);
}

export function tellGrowth(say: (line: string) => void, seen: readonly Sample[]): void {
  const third = Math.floor(seen.length / 3);
  const growth = (of: (sample: Sample) => number) =>
    median(seen.slice(2 * third).map(of)) / Math.max(1, median(seen.slice(third, 2 * third).map(of)));
  const judged: [string, number, number][] = [
    ['memory', growth(({ rssMb }) => rssMb), allowed.memory],
    ['heap', growth(({ heapMb }) => heapMb), allowed.heap],
    ['descriptors', growth(({ descriptors }) => descriptors), allowed.descriptors],
    ...kinds.map((kind): [string, number, number] => [
      `p99 of ${kind}`,
      growth(({ p99 }) => p99[kind]),
      allowed.p99,
    ]),
  ];
  say('\nThe last third compared with the one before:\n\n| | times | allowed |\n|---|---|---|');
  for (const [what, times, most] of judged)
    say(`| ${what} | ${times.toFixed(2)}${times > most ? ' (grows)' : ''} | ${most} |`);
  say('');
}
