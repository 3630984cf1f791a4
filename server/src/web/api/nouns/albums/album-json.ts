import Type, { type Static } from 'typebox';
import { nullable, time } from '../../../../base/http/schemas.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import type { LinkSigner } from '../../../../images/image-links.ts';
import type { Album } from '../../../../jobs/albums/album-store.ts';
import type { Job } from '../../../../jobs/job.ts';
import { presentJob } from '../../../../jobs/present-job.ts';

export const albumSchema = Type.Object(
  {
    album_id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    images: Type.Integer({ description: 'The number of images in it.' }),
    cover_url: nullable(
      Type.String({
        format: 'uri',
        description: 'The first image, in a small size; null if the album is empty.',
      }),
    ),
    created_at: time('When it was made.'),
  },
  { $id: 'Album' },
);
export function presentAlbum(
  { links }: { links: Pick<LinkSigner, 'sign'> },
  { id, name, createdAt }: Album,
  { images, cover }: { images: number; cover: Job | undefined },
): Static<typeof albumSchema> {
  return {
    album_id: id,
    name,
    images,
    cover_url: (cover && presentJob(cover, links).result?.thumbnail_url) ?? null,
    created_at: toIso(createdAt),
  };
}
