import Type from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import { readCursor, sizeOf, toPage, writeCursor } from '../../../../base/http/cursor.ts';
import { closed, named, page, pageQuery } from '../../../../base/http/schemas.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import { AppError, invalidField } from '../../../../errors.ts';
import { readOwnAlbum } from '../../../../jobs/albums/change-album.ts';
import {
  maxShareDays,
  maxShared,
  readOwnShare,
  revokeShare,
  shareImages,
} from '../../../../jobs/shares/share-images.ts';
import { listShares } from '../../../../jobs/shares/share-store.ts';
import { accountCall } from '../../account-call.ts';
import { presentShare, shareSchema } from './share-json.ts';

export interface ShareCallDeps {
  database: Database;
  clock: Clock;
  sharing: boolean;
  urls: { publicUrl: string };
}

const tag = 'Jobs';
const shareParams = Type.Object({ token: Type.String() });

const listSchema = Type.Object(
  {
    ...page('', named(shareSchema)).properties,
    enabled: Type.Boolean({ description: 'Whether links can be created and work in this installation.' }),
  },
  { title: 'ShareList' },
);

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function shareCalls(deps: ShareCallDeps) {
  const { database, urls } = deps;
  const read = async (accountId: string, token: string) =>
    presentShare(await readOwnShare(database.read, { accountId, token }), urls.publicUrl);
  return {
    list: accountCall({
      tag,
      operationId: 'listShares',
      summary: 'List public links, newest first',
      query: pageQuery({}),
      reply: listSchema,
      async handle({ accountId, query }) {
        const limit = sizeOf(query.limit);
        const before = readCursor(query.cursor, ['number', 'token']);
        const shares = await listShares(database.read, { accountId, before, limit: limit + 1 });
        const { data, next_cursor } = toPage(shares, limit, (last) =>
          writeCursor([last.createdAt, last.token]),
        );
        return {
          data: data.map((share) => presentShare(share, urls.publicUrl)),
          ...{ next_cursor, enabled: deps.sharing },
        };
      },
    }),

    get: accountCall({
      tag,
      operationId: 'getShare',
      summary: 'Read a public link',
      params: shareParams,
      reply: named(shareSchema),
      errors: ['not_found'],
      handle: ({ accountId, params }) => read(accountId, params.token),
    }),

    create: accountCall({
      tag,
      operationId: 'createShare',
      summary: 'Create a public link to images',
      body: closed(
        {
          job_ids: Type.Optional(
            Type.Array(Type.String({ maxLength: 36 }), { minItems: 1, maxItems: maxShared }),
          ),
          album_id: Type.Optional(Type.String({ description: 'Instead of `job_ids`.' })),
          with_prompts: Type.Boolean(),
          days: Type.Integer({ minimum: 1, maximum: maxShareDays }),
        },
        { title: 'NewShare' },
      ),
      status: 201,
      reply: named(shareSchema),
      idempotency: 'kept',
      makes: '/shares/:token',
      errors: ['not_found'],
      async handle({ accountId, by, body: { job_ids: jobIds, album_id: albumId, ...how } }) {
        if (!deps.sharing)
          throw new AppError(
            'not_found',
            'Public links are off. The operator can turn them on with DARKROOM_SHARING.',
          );
        const what = { accountId, withPrompts: how.with_prompts, days: how.days };
        if (jobIds && albumId === undefined)
          return read(accountId, await shareImages(deps, { ...what, jobIds }, by));
        if (jobIds || albumId === undefined)
          throw invalidField('/job_ids', 'is required, unless there is `album_id`.');
        const album = await readOwnAlbum(database.read, { accountId, albumId });
        return read(accountId, await shareImages(deps, { ...what, album }, by));
      },
    }),

    revoke: accountCall({
      tag,
      operationId: 'revokeShare',
      summary: 'End a public link',
      description: 'Ends the link at once. A repeat changes nothing.',
      params: shareParams,
      status: 204,
      reply: Type.Null({ description: 'It has ended.' }),
      errors: ['not_found'],
      async handle({ accountId, by, params }) {
        await revokeShare(database, { accountId, token: params.token }, by);
        return null;
      },
    }),
  };
}
