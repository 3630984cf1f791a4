import { join } from 'node:path';

const sources = {
  server: 'server/src/main.ts',
  faults: 'server/faults/process.ts',
  command: 'cli/src/main.ts',
};

/** The file to start: as built by `npm test`, or its source when a test runs alone. */
export function programFile(name: keyof typeof sources): string {
  const built = process.env.TEST_PROGRAMS;
  return built ? join(built, `${name}.js`) : join(import.meta.dirname, '../../..', sources[name]);
}

/**
 * The part of this environment that programs need: where programs and their compiled code are, and the variables that
 * measure or change code (`npm run mutants`).
 */
export function outerEnv(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS, NODE_V8_COVERAGE, MUTANT } = process.env;
  return { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS, NODE_V8_COVERAGE, MUTANT };
}
