import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseName } from '../test-databases.ts';
import { startTestProcess } from '../test-process.ts';
import { type Coverage, readCoverage } from './coverage.ts';

/** A file of tests on one database, as it is without a mutant. */
export interface MeasuredTest {
  file: string;
  database: DatabaseName;
  ms: number;
  coverage: Coverage;
}

const hangMs = 5 * 60_000;
const cache = join(import.meta.dirname, '../../node_modules/.cache/darkroom/mutants');

/** Runs this file once. @returns nothing if it fails: what it says about mutants means nothing then */
export async function measureTest(
  file: string,
  database: DatabaseName,
  env: NodeJS.ProcessEnv,
  sources: readonly string[],
): Promise<MeasuredTest | undefined> {
  const cached = cacheFile(file, database, sources);
  if (cached && existsSync(cached)) return JSON.parse(readFileSync(cached, 'utf8'));
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
  if (cached) writeFileSync(cached, JSON.stringify(measured));
  return measured;
}

/** Where it is kept for this very tree and these sources; nowhere while the tree has changes that are not committed. */
function cacheFile(file: string, database: DatabaseName, sources: readonly string[]): string | undefined {
  if (git('status', '--porcelain')) return;
  const folder = join(cache, git('rev-parse', 'HEAD^{tree}'), hash('sha1', sources.join('\n')));
  mkdirSync(folder, { recursive: true });
  return join(folder, `${file.replaceAll('/', '-')}-${database}.json`);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}
