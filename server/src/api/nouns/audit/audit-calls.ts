import Type from 'typebox';
import { listAuditEntries } from '../../../audit/audit-store.ts';
import type { Database } from '../../../db/database.ts';
import { readCursor, toPage, writeCursor } from '../../../http/cursor.ts';
import { closed, cursor, page, pageLimit } from '../../../http/schemas.ts';
import type { OpaqueIds } from '../../../std/sealing/opaque-ids.ts';
import { installationCall } from '../../installation-call.ts';
import { auditFilters, readAuditFilter } from './audit-filter.ts';
import { auditSchema, presentAuditEntry } from './audit-json.ts';

const defaultPageSize = 20;

/** Who did what, from where. */
export function auditCall({ database, ids }: { database: Database; ids: OpaqueIds }) {
  return installationCall({
    tag: 'System',
    operationId: 'listAuditEntries',
    summary: 'List the audit log, newest first',
    description: 'Who did what, from where: people in the panel, the command line, and keys.',
    query: closed({ ...auditFilters, limit: pageLimit(defaultPageSize), cursor: Type.Optional(cursor()) }),
    status: 200,
    reply: page('AuditList', auditSchema),
    errors: ['not_found'],
    async handle({ query: { cursor, limit: wanted, ...query } }) {
      const limit = Number(wanted ?? defaultPageSize);
      const [before] = readCursor(cursor, ['number']) ?? [];
      const entries = await listAuditEntries(database.reports, {
        ...(await readAuditFilter(database.read, query)),
        ...(before !== undefined && { before }),
        limit: limit + 1,
      });
      const { data, next_cursor } = toPage(entries, limit, ({ id }) => writeCursor([id]));
      return { data: data.map((entry) => presentAuditEntry(ids, entry)), next_cursor };
    },
  });
}
