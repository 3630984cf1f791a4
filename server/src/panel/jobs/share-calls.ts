import Type from 'typebox';
import { AppError } from '../../errors.ts';
import { closed } from '../../http/schemas.ts';
import {
  maxShareDays,
  maxShared,
  readShares,
  revokeShare,
  shareImages,
} from '../../jobs/shares/share-images.ts';
import type { Share } from '../../jobs/shares/share-store.ts';
import { toIso, toIsoOrNull } from '../../std/iso-time.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { ShareRow } from './contract.ts';

/** Public links to pictures, where the installation has them. */
export function shareCalls(deps: PanelDeps): PanelCall[] {
  const { database, publicUrl } = deps;
  const present = ({
    token,
    jobIds,
    withPrompts,
    madeBy,
    createdAt,
    expiresAt,
    revokedAt,
  }: Share): ShareRow => ({
    token,
    url: `${publicUrl()}/shared/${token}`,
    job_ids: jobIds,
    with_prompts: withPrompts,
    made_by: madeBy,
    created_at: toIso(createdAt),
    expires_at: toIso(expiresAt),
    revoked_at: toIsoOrNull(revokedAt),
  });
  return [
    panelCall('GET /panel/accounts/:account_id/shares', {
      handle: async ({ params }) => ({
        enabled: deps.installation.sharing,
        data: (await readShares(database, params.account_id)).map(present),
      }),
    }),

    panelCall('POST /panel/accounts/:account_id/shares', {
      body: closed({
        job_ids: Type.Array(Type.String({ maxLength: 36 }), { minItems: 1, maxItems: maxShared }),
        with_prompts: Type.Boolean(),
        days: Type.Integer({ minimum: 1, maximum: maxShareDays }),
      }),
      async handle({ params, body, viewer }) {
        if (!deps.installation.sharing)
          throw new AppError(
            'not_found',
            'Links are not shared here. Whoever runs the server allows it with DARKROOM_SHARING.',
          );
        const { job_ids: jobIds, with_prompts: withPrompts, days } = body;
        const what = { accountId: params.account_id, jobIds, withPrompts, days };
        const token = await shareImages(deps, what, viewer);
        return { token, url: `${publicUrl()}/shared/${token}` };
      },
    }),

    panelCall('POST /panel/accounts/:account_id/shares/:token/revoke', {
      async handle({ params, viewer }) {
        await revokeShare(database, { accountId: params.account_id, token: params.token }, viewer);
        return null;
      },
    }),
  ];
}
