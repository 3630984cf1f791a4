import type { MigrationPlan } from '@darkroom/server/operator';
import type { Command } from 'commander';
import { onDatabase } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to this version, as the next start would')
    .option('--plan', 'only show what would run: the tables, what it blocks, and how long')
    .option('--json', 'print one JSON object')
    .action(migrate);
}

async function migrate({ plan, json }: { plan?: true; json?: true }): Promise<void> {
  if (plan) {
    const planned = await onDatabase((server) => server.planOfDatabase(process.env));
    return json ? printJson(planned) : tellPlan(planned);
  }
  const { from, to } = await onDatabase((server) => server.migrateDatabase(process.env));
  if (json) return printJson({ from, to });
  tell(
    from === to
      ? `The schema has version ${to}; there was nothing to do.`
      : `Migrated from ${from} to ${to}.`,
  );
}

function tellPlan({ database, from, to, pending, seconds, lockSeconds }: MigrationPlan): void {
  if (pending.length === 0) {
    tell(`The schema has version ${to}; there is nothing to do.`);
    return;
  }
  for (const { version, name, steps } of pending) {
    print(`${version} ${name}`);
    for (const { table, change, waits, rows, seconds: took } of steps)
      print(
        `  ${change.padEnd(15)} ${table.padEnd(24)} ${waitsFor(database, waits)}${rows > 0 ? `, ${rows} rows, about ${took} s` : ''}`,
      );
  }
  const how =
    seconds === lockSeconds
      ? 'in one transaction'
      : `beside reads and writes, which it blocks for at most ${lockSeconds} s at a time`;
  tell(`From ${from} to ${to} ${how}, about ${seconds} s. Nothing was changed.`);
}

function waitsFor(database: MigrationPlan['database'], waits: string): string {
  return database === 'sqlite' ? 'writers wait' : `${waits} ${waits === 'writers' ? 'wait' : 'waits'}`;
}
