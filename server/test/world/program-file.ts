import { join } from 'node:path';

const sources = { server: 'src/main.ts', faults: 'faults/process.ts' };

/** What to start: as `npm test` has built it, or its source when a test is run by itself. */
export function programFile(name: keyof typeof sources): string {
  const built = process.env.TEST_PROGRAMS;
  return built ? join(built, `${name}.js`) : join(import.meta.dirname, '../..', sources[name]);
}
