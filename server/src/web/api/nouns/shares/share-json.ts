import Type, { type Static } from 'typebox';
import { nullable, time } from '../../../../base/http/schemas.ts';
import { toIso, toIsoOrNull } from '../../../../base/std/iso-time.ts';
import type { Share } from '../../../../jobs/shares/share-store.ts';

export const shareSchema = Type.Object(
  {
    token: Type.String(),
    url: Type.String({
      format: 'uri',
      description: 'The page that shows the images, and nothing else of the account.',
    }),
    job_ids: Type.Array(Type.String({ format: 'uuid' })),
    album_id: nullable(
      Type.String({
        format: 'uuid',
        description: 'The album whose current images it shows, instead of jobs.',
      }),
    ),
    with_prompts: Type.Boolean(),
    made_by: Type.String({
      description: 'The name of the person who made it, kept current while they are in the account.',
    }),
    created_at: time('When it was made.'),
    expires_at: time('When it ends.'),
    revoked_at: nullable(time('The time at which it was revoked.')),
  },
  { $id: 'Share' },
);
export type ShareJson = Static<typeof shareSchema>;

export function presentShare(share: Share, publicUrl: string): ShareJson {
  return {
    token: share.token,
    url: `${publicUrl}/shared/${share.token}`,
    job_ids: share.jobIds,
    album_id: share.albumId,
    with_prompts: share.withPrompts,
    made_by: share.madeBy,
    created_at: toIso(share.createdAt),
    expires_at: toIso(share.expiresAt),
    revoked_at: toIsoOrNull(share.revokedAt),
  };
}
