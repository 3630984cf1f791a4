import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPrograms } from '../../scripts/build-programs.ts';
import type { FaultKind } from './plan.ts';
import { formatReport, writeReport } from './report.ts';
import { type FaultOptions, runFaults } from './run-faults.ts';

/** `npm run faults -- --seed N --minutes M [--database sqlite|postgres] [--jobs N] [--faults N] [--only KIND,KIND] [--keep FOLDER] [--write FILE]` */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '2' },
    database: { type: 'string', default: 'postgres' },
    jobs: { type: 'string' },
    faults: { type: 'string' },
    only: { type: 'string' },
    keep: { type: 'string' },
    write: { type: 'string' },
  },
});

// The load that two processors can carry while processes keep starting.
const jobsPerMinute = 500;
const faultsPerMinute = 25;

const minutes = numberOf('minutes', values.minutes);
const { database } = values;
if (database !== 'sqlite' && database !== 'postgres') throw new TypeError('--database is sqlite or postgres');
const options: FaultOptions = {
  database,
  seed: numberOf('seed', values.seed),
  minutes,
  jobs: numberOf('jobs', values.jobs ?? String(Math.ceil(minutes * jobsPerMinute))),
  faults:
    values.faults === 'each'
      ? 'each'
      : numberOf('faults', values.faults ?? String(Math.ceil(minutes * faultsPerMinute))),
  // The plan refuses a kind that does not exist.
  ...(values.only !== undefined && { only: values.only.split(',') as FaultKind[] }),
  ...(values.keep !== undefined && { keep: values.keep }),
  onProgress: (line) => process.stderr.write(`${line}\n`),
};

// Processes start all the time, and a built program starts with a third of the processor time that the sources need.
await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-programs-'));
process.env.TEST_PROGRAMS = await buildPrograms(join(folder.path, 'programs'));
const report = await runFaults(options);
process.stdout.write(`${formatReport(options, report)}\n`);
if (values.write !== undefined)
  writeReport(values.write, `npm run faults -- ${shown(process.argv.slice(2).join(' '))}`, options, report);
process.exitCode = report.violations.length > 0 ? 1 : 0;

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new TypeError(`--${name} is "${text}"; it must be a number greater than 0`);
}

function shown(command: string): string {
  return command.replaceAll(/ *--(keep|write)[ =]\S+/g, '');
}
