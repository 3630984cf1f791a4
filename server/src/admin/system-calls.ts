import Type from 'typebox';
import { auditFilters, readAuditFilter } from '../api/nouns/audit/audit-filter.ts';
import { auditSchema, presentAuditEntry } from '../api/nouns/audit/audit-json.ts';
import { listAuditEntries } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';
import { readCursor, toPage, writeCursor } from '../http/cursor.ts';
import { closed, oneOf, page } from '../http/schemas.ts';
import type { OpaqueIds } from '../std/sealing/opaque-ids.ts';
import { adminCall } from './admin-call.ts';
import { defaultPageSize, list, listFields, nothing } from './schemas.ts';
import { pauseListSchema, routesSchema, statusSchema, verifiedSchema } from './system-schemas.ts';

const tag = 'System';
const maxPauseSeconds = 366 * 24 * 60 * 60;
const pauseParams = Type.Object({
  scope: Type.String({ description: 'A model, or `project`: everything.' }),
});

/** How the installation is doing, and what was done. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function systemCalls({ database, ids }: { database: Database; ids: OpaqueIds }) {
  return {
    status: adminCall({
      tag,
      operationId: 'getStatus',
      summary: 'Read the state of the installation',
      description: 'What waits and why, what runs where, and the state of the routes.',
      status: 200,
      reply: statusSchema,
      errors: [],
      handle: ({ verbs }) => verbs.status(),
    }),

    routes: adminCall({
      tag: 'Models',
      operationId: 'getRoutes',
      summary: 'Read who makes the images of each model',
      description: 'With counts and times of the last 24 hours.',
      query: closed({
        check: Type.Optional(
          oneOf(['true', 'false'], {
            description: 'Asks each provider whether it is well; makes no image and costs nothing.',
          }),
        ),
      }),
      status: 200,
      reply: routesSchema,
      errors: [],
      handle: ({ verbs, query }) => verbs.routes({ check: query.check === 'true' }),
    }),

    tryRoute: adminCall({
      tag: 'Models',
      operationId: 'tryRoute',
      summary: 'Let a route that rests take the next job',
      params: Type.Object({ route: Type.String({ description: 'With its slash as `%2F`.' }) }),
      status: 200,
      reply: Type.Object(
        { route: Type.String(), tried: Type.Boolean({ description: 'It rested.' }) },
        { title: 'TriedRoute' },
      ),
      errors: ['not_found', 'body_too_large'],
      handle: ({ verbs, params }) => verbs.tryRoute(params.route),
    }),

    selfCheck: adminCall({
      tag,
      operationId: 'selfCheck',
      summary: 'Check that what must always be true is true',
      description:
        'Accounts, the ledger, jobs and events, for at most 20 seconds. What it does not get to is checked by the server within a day.',
      body: closed(
        {
          images: Type.Optional(
            Type.Boolean({
              description:
                'Reads everything to the end and every image as well, which takes as long as there are many.',
            }),
          ),
        },
        { title: 'Verification' },
      ),
      status: 200,
      reply: verifiedSchema,
      errors: ['unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, body }) => verbs.selfCheck(body),
    }),

    pauses: adminCall({
      tag,
      operationId: 'listPauses',
      summary: 'List the pauses in force',
      status: 200,
      reply: pauseListSchema,
      errors: [],
      handle: ({ verbs }) => list(verbs.listPauses()),
    }),

    pause: adminCall({
      tag,
      operationId: 'pause',
      summary: 'Accept no new jobs',
      description: 'Of one model or of all. What runs finishes.',
      params: pauseParams,
      body: closed(
        {
          reason: Type.Optional(Type.String({ maxLength: 500, description: 'Shown to whoever is refused.' })),
          for: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: maxPauseSeconds,
              description: 'Seconds; until resumed when left out.',
            }),
          ),
        },
        { title: 'NewPause' },
      ),
      status: 204,
      reply: nothing('It is paused.'),
      errors: ['unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, params, body }) => verbs.pause(params.scope, body),
    }),

    resume: adminCall({
      tag,
      operationId: 'resume',
      summary: 'End a pause',
      params: pauseParams,
      status: 204,
      reply: nothing('It is not paused.'),
      errors: [],
      handle: ({ verbs, params }) => verbs.resume(params.scope),
    }),

    audit: adminCall({
      tag,
      operationId: 'listAuditEntries',
      summary: 'List the audit log, newest first',
      description: 'Who did what, from where: people in the panel, the command line, and keys.',
      query: closed({ ...auditFilters, ...listFields }),
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
    }),
  };
}
