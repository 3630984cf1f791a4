import Type from 'typebox';
import { maxNameLength } from '../../../../accounts/name.ts';
import type { Database } from '../../../../base/db/database.ts';
import { closed, named, nullable } from '../../../../base/http/schemas.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import {
  type Album,
  listAlbumJobs,
  listAlbums,
  summariseAlbums,
} from '../../../../jobs/albums/album-store.ts';
import {
  changeAlbum,
  createAlbum,
  deleteAlbum,
  maxAlbumImages,
  maxAlbums,
  readOwnAlbum,
} from '../../../../jobs/albums/change-album.ts';
import { findOwnJobs } from '../../../../jobs/job-list-store.ts';
import { type PresentDeps, presentJobs } from '../../../../jobs/present-job.ts';
import { accountCall } from '../../account-call.ts';
import { jobSchema } from '../jobs/job-schemas.ts';
import { albumSchema, presentAlbum } from './album-json.ts';

export type AlbumCallDeps = PresentDeps & { database: Database; clock: Clock };

const tag = 'Jobs';

const albumParams = Type.Object({ album_id: Type.String() });
const name = Type.String({ minLength: 1, maxLength: maxNameLength, pattern: '\\S' });
const jobId = Type.String({ maxLength: 36 });
const jobIds = (description: string) =>
  Type.Optional(Type.Array(jobId, { maxItems: maxAlbumImages, description }));
/** The maximum number of values in a body: every image in the order, the additions and the removals, and the fields. */
const maxValues = 3 * maxAlbumImages + 7;
const add = jobIds('Jobs whose images are appended. Jobs without an image are left out.');
const move = closed(
  { job_id: jobId, after: nullable(jobId) },
  {
    description:
      'Puts one image after another one, or first if `after` is null. Changes nothing if either is not in the album.',
  },
);

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function albumCalls(deps: AlbumCallDeps) {
  const { database } = deps;
  const read = async (accountId: string, albumId: string) => {
    const album = await readOwnAlbum(database.read, { accountId, albumId });
    const ids = await listAlbumJobs(database.read, album.id);
    const [cover] = await findOwnJobs(database.read, accountId, ids.slice(0, 1), 0);
    return { ids, album: presentAlbum(deps, album, { images: ids.length, cover }) };
  };
  return {
    list: accountCall({
      tag,
      operationId: 'listAlbums',
      summary: 'List the albums of the account, newest first',
      description: `All albums: at most ${maxAlbums}.`,
      reply: closed({ data: Type.Array(named(albumSchema)) }, { title: 'AlbumList' }),
      async handle({ accountId }) {
        const albums = await listAlbums(database.read, accountId);
        const summaries = await summariseAlbums(database.read, accountId);
        const firsts = [...summaries.values()].map(({ firstJob }) => firstJob);
        const covers = new Map(
          (await findOwnJobs(database.read, accountId, firsts, 0)).map((job) => [job.id, job]),
        );
        const present = (album: Album) => {
          const { images = 0, firstJob = '' } = summaries.get(album.id) ?? {};
          return presentAlbum(deps, album, { images, cover: covers.get(firstJob) });
        };
        return { data: albums.map(present) };
      },
    }),

    get: accountCall({
      tag,
      operationId: 'getAlbum',
      summary: 'Read an album with its jobs, in its order',
      params: albumParams,
      reply: closed(
        { album: named(albumSchema), data: Type.Array(named(jobSchema)) },
        { title: 'AlbumJobs' },
      ),
      errors: ['not_found'],
      async handle({ accountId, params }) {
        const { ids, album } = await read(accountId, params.album_id);
        const jobs = await findOwnJobs(database.read, accountId, ids);
        return { album, data: await presentJobs(deps, jobs) };
      },
    }),

    create: accountCall({
      tag,
      operationId: 'createAlbum',
      summary: 'Make an album',
      body: closed({ name, add }, { title: 'NewAlbum' }),
      maxValues,
      status: 201,
      reply: named(albumSchema),
      idempotency: 'kept',
      makes: '/albums/:album_id',
      errors: ['not_found'],
      handle: async ({ accountId, body }) =>
        (await read(accountId, await createAlbum(deps, { accountId, ...body }))).album,
    }),

    change: accountCall({
      tag,
      operationId: 'changeAlbum',
      summary: 'Change the name, the images or the order of an album',
      description: 'Several changes are made in this order: `job_ids`, `add`, `remove`, `move`.',
      params: albumParams,
      body: closed(
        {
          name: Type.Optional(name),
          job_ids: jobIds('The complete new order; images that are not listed are removed from it.'),
          add,
          remove: jobIds('Jobs whose images are removed from it. Jobs that are not in it are ignored.'),
          move: Type.Optional(move),
        },
        { title: 'AlbumChange' },
      ),
      maxValues,
      reply: named(albumSchema),
      errors: ['not_found'],
      async handle({ accountId, params, body: { job_ids: jobIds, move, ...change } }) {
        const albumId = params.album_id;
        const moved = move && { jobId: move.job_id, after: move.after };
        await changeAlbum(database, { accountId, albumId }, { ...change, jobIds, move: moved });
        return (await read(accountId, albumId)).album;
      },
    }),

    remove: accountCall({
      tag,
      operationId: 'deleteAlbum',
      summary: 'Delete an album',
      description: 'Keeps its images. Public links to it end.',
      params: albumParams,
      status: 204,
      reply: Type.Null({ description: 'It is gone.' }),
      errors: ['not_found'],
      async handle({ accountId, params }) {
        await deleteAlbum(database, { accountId, albumId: params.album_id });
        return null;
      },
    }),
  };
}
