import { parseArgs } from 'node:util';
import { createDatabase } from '../test/world/databases.ts';
import { startCluster } from '../test/world/postgres.ts';
import { runAttack } from './run-attack.ts';

/** `npm run attack [-- --database sqlite|postgres] [--turn-ms N] [--only 'POST /api'] [--short]` */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    'turn-ms': { type: 'string', default: '100' },
    only: { type: 'string', default: '' },
    short: { type: 'boolean', default: false },
  },
});
if (values.database !== 'sqlite' && values.database !== 'postgres')
  throw new TypeError('--database is sqlite or postgres');

await using cluster = values.database === 'postgres' ? await startCluster() : undefined;
// Test databases are created on this server.
if (cluster) process.env.TEST_DATABASE_URL = cluster.url;
const { text, ok } = await runAttack({
  database: await createDatabase(),
  extent: values.short ? 'short' : 'full',
  only: new RegExp(values.only),
  mostTurnMs: Number(values['turn-ms']),
  onProgress: (line) => process.stderr.write(`${line}\n`),
});
process.stdout.write(`${text}\n`);
process.exitCode = ok ? 0 : 1;
