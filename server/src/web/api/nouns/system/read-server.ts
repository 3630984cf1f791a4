import { statfs } from 'node:fs/promises';
import type { Static } from 'typebox';
import { readSignInFailures } from '../../../../accounts/sign-in/watch-sign-ins.ts';
import type { Database } from '../../../../base/db/database.ts';
import { schemaVersion } from '../../../../base/db/migrating/migrate.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import { version } from '../../../../version.ts';
import type { serverSchema } from './status-json.ts';

type Server = Static<typeof serverSchema>;

export interface ServerDeps {
  database: Database;
  storage: 'disk' | 's3';
  /** The configuration. Its `settings` show where each comes from, but no secrets. */
  config: { role: string; dataDir: string; settings: Server['settings'] };
  startedAt: number;
}

export async function readServer({ database, storage, config, startedAt }: ServerDeps): Promise<Server> {
  const { role, dataDir, settings } = config;
  const { bavail, blocks, bsize } = await statfs(dataDir);
  return {
    version,
    node: process.version,
    role,
    started_at: toIso(startedAt),
    memory_bytes: process.memoryUsage.rss(),
    database: {
      kind: database.kind,
      bytes: await database.size(),
      schema_version: await schemaVersion(database.read),
    },
    storage: { kind: storage, disk_free_bytes: bavail * bsize, disk_bytes: blocks * bsize },
    sign_in_failures: (await readSignInFailures(database.read)).count,
    settings,
  };
}
