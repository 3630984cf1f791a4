import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePostgresTemplate, makeSqliteTemplate } from '../../server/test/world/databases.ts';
import { startCluster } from '../../server/test/world/postgres.ts';

export type DatabaseName = 'SQLite' | 'PostgreSQL';

const cache = join(import.meta.dirname, '../../node_modules/.cache/darkroom');
/**
 * Tests that need only one database: they run in a browser or another program, before a request reaches the database, or
 * are about images or the samples of documents.
 */
const onOne = [
  /^(cli|sdk|panel)\//,
  /\/admin\/(remote-command|slow-logo)|\/deploy\/version|\/docs\/(\w+-samples|site-browser)/,
  /\/http\/(body-memory|broken-bodies|turns|connections|framing|guides|hostile-bodies|openapi|reference|unknown-parameters)/,
  /\/images\/(kept-pixels|signing)|\/inputs\/(garbage|hostile|input-sizes|ingest)|\/jobs\/(masks|output)\./,
];

/** Whether a test uses the environment's database. Tests that always open their own do not. */
export function usesDatabase(file: string): boolean {
  if (onOne.some((name) => name.test(file))) return false;
  return /world\/(world|databases)|'\.\/support\/sign-up|filled-database|webhook-world|run-seed|kill-in-a-row|TEST_DATABASE_URL/.test(
    readFileSync(file, 'utf8'),
  );
}

/** The environment for tests on each database. PostgreSQL is the server at TEST_DATABASE_URL, or starts here. */
export async function openTestDatabases(folder: string, { postgres }: { postgres: boolean }) {
  const { TEST_DATABASE_URL: given, ...inherited } = process.env;
  process.env.TMPDIR = folder;
  const cluster = postgres && !given ? await startCluster() : undefined;
  const env = {
    DARKROOM_RENDITIONS: 'on-demand',
    ...inherited,
    NODE_COMPILE_CACHE: cache,
    TMPDIR: folder,
  };
  const environments: Record<DatabaseName, NodeJS.ProcessEnv> = {
    SQLite: { ...env, TEST_DATABASE_TEMPLATE: await makeSqliteTemplate(folder) },
    PostgreSQL: {
      ...env,
      TEST_DATABASE_URL: given ?? cluster?.url,
      ...(cluster && { TEST_DATABASE_TEMPLATE: await makePostgresTemplate(cluster.url) }),
    },
  };
  return { environments, [Symbol.asyncDispose]: async () => cluster?.[Symbol.asyncDispose]() };
}
