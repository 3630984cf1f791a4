import { statfs } from 'node:fs/promises';
import { readSignInFailures } from '../../accounts/sign-in/watch-sign-ins.ts';
import { presentQueue } from '../../api/screens/present-queue.ts';
import { schemaVersion } from '../../db/migrating/migrate.ts';
import { readQueue } from '../../jobs/job-store.ts';
import { listRunningWorkers } from '../../queue/worker-store.ts';
import { toIso } from '../../std/iso-time.ts';
import { listProcesses, presentProcess } from '../../upkeep/process-store.ts';
import { version } from '../../version.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { System } from './contract.ts';

/** The state of the installation, for operators. */
export function systemCalls(deps: PanelDeps): PanelCall[] {
  return [panelCall('GET /panel/operator/system', { handle: () => readSystem(deps) })];
}

async function readSystem({ database, images, installation }: PanelDeps): Promise<System> {
  const { bavail, blocks, bsize } = await statfs(installation.dataDir);
  return {
    version,
    node: process.version,
    started_at: toIso(installation.startedAt),
    role: installation.role,
    database: {
      kind: database.kind,
      bytes: await database.size(),
      schema_version: await schemaVersion(database.read),
    },
    storage: { kind: images.kind, disk_free_bytes: bavail * bsize, disk_bytes: blocks * bsize },
    workers: await listRunningWorkers(database.read),
    processes: (await listProcesses(database.read)).map(presentProcess),
    queue: presentQueue(await readQueue(database.read)),
    sign_in_failures: (await readSignInFailures(database.read)).count,
    memory_bytes: process.memoryUsage.rss(),
    configuration: installation.settings,
  };
}
