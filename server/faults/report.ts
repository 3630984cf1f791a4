import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { nameOf } from './plan.ts';
import type { FaultOptions, FaultReport } from './run-faults.ts';

// The maximum number of violations shown for each kind. One defect breaks many rows, and a few rows identify the
// defect.
const shownOfKind = 4;
const names = /[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g;

export function formatReport(options: FaultOptions, report: FaultReport): string {
  const { violations } = report;
  const kinds = Map.groupBy(violations, (violation) => violation.replace(names, '').slice(0, 40));
  const shown = [...kinds.values()].flatMap((alike) => [
    ...alike.slice(0, shownOfKind).map((violation) => `VIOLATION ${violation}`),
    ...(alike.length > shownOfKind ? [`… and ${alike.length - shownOfKind} alike`] : []),
  ]);
  return [formatTable(options, report), '', ...shown, ''].join('\n');
}

/** Replaces the table of the last run on this database. */
export function writeReport(file: string, command: string, options: FaultOptions, report: FaultReport): void {
  const [from, to] = [
    `<!-- faults on ${options.database} -->`,
    `<!-- end of faults on ${options.database} -->`,
  ];
  const text = readFileSync(file, 'utf8');
  const [start, end] = [text.indexOf(from), text.indexOf(to)];
  if (start < 0 || end < start) throw new TypeError(`${file} has no place for this table: ${from} … ${to}`);
  const table = `${from}\n\n\`${command}\`\n\n${formatTable(options, report)}\n\n`;
  writeFileSync(file, text.slice(0, start) + table + text.slice(end));
}

function formatTable(options: FaultOptions, report: FaultReport): string {
  const { counts, injected, load, exits, violations, ms, surroundings } = report;
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
    ...surroundings,
    ['faults', injected.length],
    ...countBy(injected.map(({ fault }) => nameOf(fault))).map(([name, count]): [string, number] => [
      `… ${name}`,
      count,
    ]),
    ['processes killed', exits.filter(({ how }) => how === 'SIGKILL').length],
    ['starts that gave up', exits.filter(({ cause }) => cause === 'start').length],
    [
      'requests answered',
      countBy([...load.answers].flatMap(([status, count]) => Array<string>(count).fill(String(status))))
        .map(([status, count]) => `${status}: ${count}`)
        .join(', '),
    ],
    ...totalsOf(counts),
    ['replays of acknowledged creates', load.replays],
    ['refused for money', load.refused],
    ...Object.entries(counts).filter(([name]) => !totals.includes(name)),
    ['violations', violations.length],
  ];
  return ['| what | count |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join(
    '\n',
  );
}

const totals = ['jobs', 'jobs done', 'jobs failed', 'jobs cancelled', 'reserved', 'captured', 'released'];

const totalsOf = (counts: FaultReport['counts']) =>
  totals.map((name): [string, number] => [name, counts[name] ?? 0]);

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
