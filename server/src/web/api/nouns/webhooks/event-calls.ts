import Type from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import { readCursor, sizeOf, writeCursor } from '../../../../base/http/cursor.ts';
import { cursorPattern, named, oneOf, pageLimit, time } from '../../../../base/http/schemas.ts';
import { lastEventSeq, listJobEvents } from '../../../../notify/webhooks/event-store.ts';
import { jobEventTypes } from '../../../../notify/webhooks/event-types.ts';
import { type DescribeJobs, presentEvent } from '../../../../notify/webhooks/webhook-body.ts';
import { type ApiCall, apiCall } from '../../api-call.ts';
import { jobSchema } from '../jobs/job-schemas.ts';

const now = 'now';

export const eventSchema = Type.Object(
  {
    id: Type.String({ description: 'The `webhook-id` of its deliveries.' }),
    type: oneOf(jobEventTypes, { title: 'JobEventType' }),
    timestamp: time('When the job ended.'),
    data: named(jobSchema),
  },
  { $id: 'Event' },
);

export function eventsCall({
  database,
  describeJobs,
  lastPlainPosition,
}: {
  database: Database;
  describeJobs: DescribeJobs;
  lastPlainPosition: number;
}): ApiCall {
  return apiCall({
    tag: 'Jobs',
    operationId: 'listEvents',
    summary: 'List events, oldest first',
    description:
      'The end of every job of the account, in order, as long as its jobs are kept (30 days by default). ' +
      'Keep `next_cursor` and send it as `cursor` next time: no event is skipped or repeated.',
    query: Type.Object(
      {
        cursor: Type.Optional(
          Type.String({
            pattern: cursorPattern,
            maxLength: 100,
            description:
              '`next_cursor` of the previous answer, or `now` to begin with future events. By default all.',
          }),
        ),
        limit: pageLimit(),
      },
      { additionalProperties: false },
    ),
    formerNames: { after: 'cursor' },
    reply: Type.Object(
      {
        data: Type.Array(named(eventSchema)),
        next_cursor: Type.String({
          pattern: cursorPattern,
          description: 'The position after this answer, even if the answer is empty.',
        }),
        has_more: Type.Boolean({ description: 'Whether more events are available now.' }),
      },
      { title: 'EventList' },
    ),
    honours: (text) => text === now || isPlainPosition(text, lastPlainPosition),
    async handle({ apiKey, query }) {
      const { accountId } = apiKey;
      const limit = sizeOf(query.limit);
      const [after] =
        query.cursor === now
          ? [await lastEventSeq(database.read, accountId)]
          : (readCursor(query.cursor, ['number']) ?? [0]);
      const events = await listJobEvents(database.read, { accountId, after, limit: limit + 1 });
      const page = events.slice(0, limit);
      const jobs = await describeJobs(page.map(({ jobId }) => jobId));
      return {
        // Omits events whose job was removed just now.
        data: page.flatMap((event) => {
          const job = jobs.get(event.jobId);
          return job ? [{ id: event.id, ...presentEvent(event, job) }] : [];
        }),
        next_cursor: writeCursor([page.at(-1)?.seq ?? after]),
        has_more: events.length > limit,
      };
    },
  });
}

/**
 * Accepts the unsealed positions of an older version, but only up to that version's last position. With later ones,
 * clients could find numbers by trial.
 */
function isPlainPosition(text: string, last: number): boolean {
  const [seq] = readCursor(text, ['number']) ?? [];
  return seq !== undefined && seq <= last;
}
