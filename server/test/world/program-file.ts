import { join } from 'node:path';

const sources = { server: 'src/main.ts', faults: 'faults/process.ts' };

/** What to start: as `npm test` has built it, or its source when a test is run by itself. */
export function programFile(name: keyof typeof sources): string {
  const built = process.env.TEST_PROGRAMS;
  return built ? join(built, `${name}.js`) : join(import.meta.dirname, '../..', sources[name]);
}

/** Of this environment, for a program that gets one of its own: where programs are, and what measures or changes its code (`npm run mutants`). */
export function outerEnv(): NodeJS.ProcessEnv {
  const { PATH, NODE_OPTIONS, NODE_V8_COVERAGE, MUTANT } = process.env;
  return { PATH, NODE_OPTIONS, NODE_V8_COVERAGE, MUTANT };
}
