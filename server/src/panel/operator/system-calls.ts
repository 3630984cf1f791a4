import Type from 'typebox';
import { listAuditEntries, type WrittenAuditEntry } from '../../accounts/audit-store.ts';
import { readSignInFailures } from '../../accounts/sign-in/watch-sign-ins.ts';
import { schemaVersion } from '../../db/migrate.ts';
import { readCursor, toPage, writeCursor } from '../../http/cursor.ts';
import { closed, pageLimit } from '../../http/schemas.ts';
import { readQueue } from '../../jobs/job-store.ts';
import { listRunningWorkers } from '../../queue/worker-store.ts';
import { isUuid } from '../../std/ids.ts';
import { toIso } from '../../std/iso-time.ts';
import { countVerified, findViolations } from '../../upkeep/verify-store.ts';
import { version } from '../../version.ts';
import { presentQueue } from '../jobs/present-queue.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { AuditRow, System } from './contract.ts';
import { sumImages } from './system-store.ts';

const defaultPageSize = 50;
const id = Type.Optional(Type.String({ maxLength: 50 }));

/** The state of the installation, for operators. */
export function systemCalls(deps: PanelDeps): PanelCall[] {
  const { database } = deps;
  return [
    panelCall('GET /panel/operator/system', { handle: () => readSystem(deps) }),

    panelCall('POST /panel/operator/self-check', {
      async handle() {
        const begin = performance.now();
        const violations = await findViolations(database.read);
        const checked = await countVerified(database.read);
        return {
          ok: violations.length === 0,
          checked,
          violations,
          ms: Math.round(performance.now() - begin),
        };
      },
    }),

    panelCall('GET /panel/operator/audit', {
      query: closed({
        cursor: Type.Optional(Type.String({ maxLength: 100 })),
        limit: pageLimit(defaultPageSize),
        account_id: id,
        person_id: id,
        action: id,
      }),
      async handle({ query }) {
        const { account_id: accountId, person_id: personId, action } = query;
        if ([accountId, personId].some((text) => text !== undefined && !isUuid(text)))
          return { data: [], next_cursor: null };
        const limit = Number(query.limit ?? defaultPageSize);
        const [before] = readCursor(query.cursor, ['number']) ?? [];
        const entries = await listAuditEntries(database.read, {
          limit: limit + 1,
          ...(before !== undefined && { before }),
          ...(accountId && { accountId }),
          ...(personId && { personId }),
          ...(action && { action }),
        });
        return toPage(entries.map(presentAuditEntry), limit, (last) => writeCursor([last.audit_id]));
      },
    }),
  ];
}

async function readSystem({ database, images, installation }: PanelDeps): Promise<System> {
  const stored = await sumImages(database.read);
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
    storage: { kind: images.kind, image_bytes: stored.bytes, images: stored.images },
    workers: await listRunningWorkers(database.read),
    queue: presentQueue(await readQueue(database.read)),
    sign_in_failures: (await readSignInFailures(database.read)).count,
    memory_bytes: process.memoryUsage.rss(),
    configuration: installation.settings,
  };
}

function presentAuditEntry({
  id,
  at,
  actor,
  action,
  accountId,
  accountName,
  subject,
  detail,
}: WrittenAuditEntry): AuditRow {
  return {
    audit_id: id,
    at: toIso(at),
    person: actor.personId === null ? null : { person_id: actor.personId, name: actor.name },
    actor: actor.name,
    action,
    account: accountId === null ? null : { account_id: accountId, name: accountName ?? '' },
    subject,
    detail,
    address: actor.address ?? null,
  };
}
