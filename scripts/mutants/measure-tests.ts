import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseName } from '../testing/test-databases.ts';
import { startTestProcess } from '../testing/test-process.ts';
import { type Coverage, readCoverage } from './coverage.ts';

export interface MeasuredTest {
  file: string;
  database: DatabaseName;
  ms: number;
  coverage: Coverage;
}

const hangMs = 5 * 60_000;
const cache = join(import.meta.dirname, '../../node_modules/.cache/darkroom/mutants');
mkdirSync(cache, { recursive: true });
const digest = digestCode();

/**
 * Runs this test file once, to measure its time and coverage.
 * @returns undefined if the file fails, because it would also fail with a mutant
 */
export async function measureTest(
  file: string,
  database: DatabaseName,
  env: NodeJS.ProcessEnv,
  sources: readonly string[],
): Promise<MeasuredTest | undefined> {
  const cached = cacheFile(file, database, sources);
  if (existsSync(cached)) return JSON.parse(readFileSync(cached, 'utf8'));
  const folder = mkdtempSync(join(env.TMPDIR ?? '/tmp', 'coverage-'));
  const began = performance.now();
  const preload = `--import=${new URL('take-coverage.ts', import.meta.url)}`;
  const process = startTestProcess({
    ...env,
    NODE_V8_COVERAGE: folder,
    NODE_OPTIONS: `${env.NODE_OPTIONS ?? ''} ${preload}`,
  });
  const { failed } = await process.run(file, hangMs);
  const ms = performance.now() - began;
  await process.end();
  const measured = { file, database, ms, coverage: readCoverage(folder, sources) };
  rmSync(folder, { recursive: true });
  if (failed) return;
  writeFileSync(cached, JSON.stringify(measured));
  return measured;
}

/** The cache file for these sources, this test and all code that tests run. Changes to other tests keep it valid. */
function cacheFile(file: string, database: DatabaseName, sources: readonly string[]): string {
  const key = hash('sha1', JSON.stringify([digest, readFileSync(file, 'utf8'), sources]));
  return join(cache, `${file.replaceAll('/', '-')}-${database}-${key}.json`);
}

function digestCode(): string {
  const packages = ['server', 'sdk', 'cli', 'sketch', 'package-lock.json'];
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...packages], {
    encoding: 'utf8',
  });
  const files = list.split('\n').filter((name) => existsSync(name) && !name.endsWith('.test.ts'));
  return hash('sha1', JSON.stringify(files.map((name) => [name, hash('sha1', readFileSync(name))])));
}
