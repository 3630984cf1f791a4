import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { startCluster } from '../server/test/world/postgres.ts';

// npm test: every test on SQLite, then those that need a database again on PostgreSQL: the one of TEST_DATABASE_URL, or
// one that is started here. Names of files as arguments run only those.
// A test that waits for what never comes fails instead of waiting for ever. The longest file takes a minute here.
const hangMs = 10 * 60_000;
const chosen = process.argv.slice(2);
const files = chosen.length > 0 ? chosen : globSync('{server,sdk,cli,panel}/{test,e2e}/**/*.test.ts').sort();
const onBoth = files.filter(usesDatabase);
const { TEST_DATABASE_URL: given, ...env } = process.env;
const first = await run('SQLite', files, env);
let second = 0;
if (onBoth.length > 0) {
  await using cluster = given ? { url: given, [Symbol.asyncDispose]: async () => {} } : await startCluster();
  second = await run('PostgreSQL', onBoth, { ...env, TEST_DATABASE_URL: cluster.url });
}
process.exitCode = first || second;

/** Tests that bring databases of their own, whatever the environment says, are not among them. */
function usesDatabase(file: string): boolean {
  return /world\/world|webhook-world|run-seed|TEST_DATABASE_URL/.test(readFileSync(file, 'utf8'));
}

async function run(database: string, list: string[], environment: NodeJS.ProcessEnv): Promise<number> {
  process.stdout.write(`\n${list.length} test files on ${database}\n`);
  // One more than can run: many tests wait for time to pass.
  const concurrency = `--test-concurrency=${availableParallelism() + 1}`;
  const child = spawn(process.execPath, ['--test', concurrency, `--test-timeout=${hangMs}`, ...list], {
    stdio: 'inherit',
    env: environment,
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
