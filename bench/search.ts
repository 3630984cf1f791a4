import { startTarget } from './load.ts';

const jobs = 100_000;
const repeats = 40;

const searches: readonly [what: string, query: string][] = [
  ['every prompt has it', 'q=lighthouse'],
  ['beginning of a word of every prompt', 'q=li'],
  ['one prompt in a hundred has it', 'q=dusk+series42'],
  ['one prompt has it, the oldest', 'q=image0+dusk'],
  ['a hundred words begin so, of the oldest', 'q=image1'],
  ['none has it', 'q=lighthouse+unicorn'],
  ['none has both', 'q=image7+series3'],
  ['and of a model that has none', 'q=lighthouse&model=pro'],
];

export async function measureSearch(say: (line: string) => void): Promise<void> {
  await using target = await startTarget('--role', 'all', '--finished', String(jobs));
  const ask = async (query: string) => {
    const began = performance.now();
    const response = await fetch(`${target.url}/api/v1/jobs?limit=50&${query}`, {
      headers: { authorization: `Bearer ${target.key}` },
    });
    const { data } = (await response.json()) as { data: unknown[] };
    return { ms: performance.now() - began, found: data.length };
  };
  const began = performance.now();
  while ((await ask(`q=image${jobs - 1}`)).found === 0);
  const seconds = (performance.now() - began) / 1000;
  say(`### search in ${jobs.toLocaleString('en')} jobs of one account, pages of 50\n`);
  say(`The words of all of them were written in ${seconds.toFixed(1)} s.\n`);
  say('| | query | found | p50 ms | CPU ms | slowest ms |\n|---|---|---|---|---|---|');
  for (const [what, query] of searches) {
    const before = await target.state();
    const times: number[] = [];
    let found = 0;
    for (let index = 0; index < repeats; index += 1) {
      const answer = await ask(query);
      times.push(answer.ms);
      found = answer.found;
    }
    const cpuMs = ((await target.state()).cpuMicros - before.cpuMicros) / 1000 / repeats;
    times.sort((one, other) => one - other);
    const [p50 = 0, slowest = 0] = [times[repeats / 2], times.at(-1)];
    say(
      `| ${what} | \`${query}\` | ${found} | ${p50.toFixed(1)} | ${cpuMs.toFixed(1)} | ${slowest.toFixed(1)} |`,
    );
  }
  say('');
}
