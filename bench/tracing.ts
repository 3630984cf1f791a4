import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { measureInTurn } from './in-turn.ts';
import { createLoad, pollLoad, startTarget, type Target } from './load.ts';
import { startDatabase } from './start-database.ts';

// node bench/tracing.ts [--database sqlite,postgres] [--turns 20]
// Creates and polls with traces, which a collector takes, and without, in turn.
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite,postgres' },
    turns: { type: 'string', default: '20' },
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
    await using without = await startTarget(...flags);
    await using traced = await startTarget(...flags, '--traces', `http://127.0.0.1:${address.port}`);
    const loadOf = (target: Target) => (what === 'creates' ? createLoad : pollLoad(target));
    say(`### ${what}\n`);
    const before = { name: 'without traces', target: without, load: await loadOf(without) };
    const now = { name: 'with traces', target: traced, load: await loadOf(traced) };
    await measureInTurn(say, [before, now], Number(values.turns));
  }
}
collector.close();
