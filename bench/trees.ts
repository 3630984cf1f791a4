import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measureInTurn, median, sayShare } from './in-turn.ts';
import { createLoad, jobLoad, pollLoad, startTargetOf, type Target } from './load.ts';
import { startDatabase } from './start-database.ts';

// node bench/trees.ts --base /tmp/base [--database sqlite|postgres] [--servers 5] [--turns 20] [--only jobs]
// Measures creates, whole jobs and polls in turn in another source tree and in this one. Uses several pairs of fresh
// servers, because the speed of compiled code differs by a tenth between processes. The other tree is a work tree of
// the commit to compare with, and uses this tree's packages:
// git worktree add /tmp/base COMMIT && cp -al node_modules /tmp/base
const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    database: { type: 'string', default: 'sqlite,postgres' },
    servers: { type: 'string', default: '5' },
    turns: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
  },
});
if (values.base === undefined) throw new Error('--base is the folder of the tree to compare with.');
const trees = [join(resolve(values.base), 'bench'), import.meta.dirname] as const;
const kinds = ['creates', 'jobs', 'polls of a finished job'] as const;
const say = (line: string) => void process.stdout.write(`${line}\n`);

for (const database of values.database.split(',')) {
  await using _ = await startDatabase(database);
  say(`## ${database}\n`);
  for (const what of kinds.filter((kind) => kind.startsWith(values.only))) {
    say(`### ${what}\n`);
    const shares: Awaited<ReturnType<typeof measureInTurn>>[] = [];
    while (shares.length < Number(values.servers)) shares.push(await comparePair(what));
    const of = (key: 'speed' | 'cpu') => median(shares.map((share) => share[key]));
    say(
      `**median of ${shares.length} pairs of servers**: ${sayShare({ speed: of('speed'), cpu: of('cpu') })}\n`,
    );
  }
}

async function comparePair(what: (typeof kinds)[number]) {
  const flags = what === 'creates' ? [] : ['--role', 'all', '--memory'];
  await using base = await startTargetOf(trees[0], ...flags);
  await using own = await startTargetOf(trees[1], ...flags);
  const loads = { creates: () => createLoad, jobs: () => jobLoad, 'polls of a finished job': pollLoad };
  const loadOf = async (target: Target) => loads[what](target);
  const before = { name: 'base', target: base, load: await loadOf(base) };
  const now = { name: 'this tree', target: own, load: await loadOf(own) };
  return await measureInTurn(say, [before, now], Number(values.turns));
}
