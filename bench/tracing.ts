import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { measureInTurn, median, sayShare } from './in-turn.ts';
import { createLoad, pollLoad, startTarget, type Target } from './load.ts';
import { startDatabase } from './start-database.ts';

// node bench/tracing.ts [--database sqlite,postgres] [--turns 10] [--servers 8]
// Measures creates and polls with and without traces, in turn. A collector receives the traces. Two identical servers
// can differ in speed by up to a seventh for as long as they run, so several servers of each kind are started.
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite,postgres' },
    turns: { type: 'string', default: '10' },
    servers: { type: 'string', default: '8' },
  },
});
const say = (line: string) => void process.stdout.write(`${line}\n`);
const collector = createServer((request, response) => {
  request.resume().on('end', () => response.end('{}'));
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
const address = collector.address();
if (address === null || typeof address === 'string') throw new Error('the collector has no port');

for (const database of values.database.split(',')) {
  await using _ = await startDatabase(database);
  say(`## ${database}\n`);
  for (const [what, flags] of [
    ['creates', []],
    ['polls of a finished job', ['--role', 'all', '--memory']],
  ] as const) {
    const shares: Awaited<ReturnType<typeof measureInTurn>>[] = [];
    say(`### ${what}\n`);
    for (let server = 0; server < Number(values.servers); server += 1) {
      await using without = await startTarget(...flags);
      await using traced = await startTarget(...flags, '--traces', `http://127.0.0.1:${address.port}`);
      const loadOf = (target: Target) => (what === 'creates' ? createLoad : pollLoad(target));
      const before = { name: 'without traces', target: without, load: await loadOf(without) };
      const now = { name: 'with traces', target: traced, load: await loadOf(traced) };
      shares.push(await measureInTurn(say, [before, now], Number(values.turns)));
    }
    const of = (key: 'speed' | 'cpu') => median(shares.map((share) => share[key]));
    say(`median of ${shares.length} servers of each: ${sayShare({ speed: of('speed'), cpu: of('cpu') })}\n`);
  }
}
collector.close();
