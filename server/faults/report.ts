import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import type { FaultOptions, FaultReport } from './run-faults.ts';

// One broken thing breaks many rows; a few of them tell which.
const maxShown = 15;

/** The result as a table that can go into the documentation as it is. */
export function formatReport(options: FaultOptions, report: FaultReport): string {
  const { counts, injected, load, exits, violations, ms } = report;
  const rows: [string, string | number][] = [
    ['database', options.database],
    ['seed', options.seed],
    ['commit', commitOf()],
    ['date', new Date().toISOString().slice(0, 10)],
    [
      'machine',
      `${cpus().length} processors, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`,
    ],
    ['minutes', (ms / 60_000).toFixed(1)],
    ['faults', injected.length],
    ...countBy(injected.map(({ fault }) => nameOf(fault))).map(([name, count]): [string, number] => [
      `… ${name}`,
      count,
    ]),
    ['processes killed', exits.filter(({ how }) => how === 'SIGKILL').length],
    ['processes that ended by themselves', exits.filter(({ cause }) => cause === 'own').length],
    ['starts that gave up', exits.filter(({ cause }) => cause === 'start').length],
    [
      'requests answered',
      countBy([...load.answers].flatMap(([status, count]) => Array<string>(count).fill(String(status))))
        .map(([status, count]) => `${status}: ${count}`)
        .join(', '),
    ],
    ['replays of acknowledged creates', load.replays],
    ['refused for money', load.refused],
    ...Object.entries(counts),
    ['violations', violations.length],
  ];
  const table = ['| what | count |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)];
  return [
    ...table,
    '',
    ...violations.slice(0, maxShown).map((violation) => `VIOLATION ${violation}`),
    '',
  ].join('\n');
}

function nameOf(fault: FaultReport['injected'][number]['fault']): string {
  if ('mood' in fault) return `${fault.kind} ${fault.mood}`;
  if ('transaction' in fault) return `${fault.kind} ${fault.moment} ${fault.transaction}`;
  if ('how' in fault) return `${fault.kind} ${fault.how}`;
  return `${fault.kind} ${fault.role}`;
}

function countBy(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function commitOf(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'none';
  }
}
