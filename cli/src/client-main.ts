import { buildClientProgram } from './client-program.ts';
import { run } from './run.ts';

const settings = `
DARKROOM_URL is the address of the server, DARKROOM_API_KEY a key to it. The verbs that run a
server are in its repository.`;

// The `darkroom` command of the package that a server offers its clients, without the verbs that run a server.
await run(buildClientProgram(settings));
