import type { AnswerOf } from '@darkroom/server/panel-contract';
import { type ReadCall, useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';

export type Album = AnswerOf<'GET /api/v1/albums'>['data'][number];

const outdated: ReadCall[] = ['GET /api/v1/albums', 'GET /api/v1/albums/:album_id'];

export const useCreateAlbum = () => useSend('POST /api/v1/albums', outdated);
/** A change of the order applies to the order that the changes before it made, so they are sent one after the other. */
export const useChangeAlbum = () =>
  useSend('PATCH /api/v1/albums/:album_id', outdated, undefined, 'change an album');
export const useDeleteAlbum = () =>
  // The album itself is not invalidated, because its page would request the deleted album.
  useSend('DELETE /api/v1/albums/:album_id', ['GET /api/v1/albums', 'GET /api/v1/shares']);

export function imagesText(count: number): string {
  return t('{count, plural, one {# image} other {# images}}', { count });
}
