import { buildProgram } from './program.ts';
import { run } from './run.ts';

await run(buildProgram());
