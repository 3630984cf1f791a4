import { type Command, Option } from 'commander';

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the server; the environment configures it')
    .addOption(
      new Option('--role <role>', 'all: everything; api: requests; worker: jobs and webhooks')
        .choices(['all', 'api', 'worker'])
        .default('all'),
    )
    .option('--processes <n>', 'the number of processes, or auto: one for each processor; needs PostgreSQL')
    .addOption(
      new Option(
        '--log-format <format>',
        'pretty: lines for people, as at a terminal; json: for programs',
      ).choices(['json', 'pretty']),
    )
    .action(serve);
}

/** Runs the server's entry point, which reads this process's arguments and handles signals and the exit code. */
async function serve(): Promise<void> {
  await import('@darkroom/server/main');
}
