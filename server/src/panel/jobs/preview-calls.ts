import Type from 'typebox';
import { assertAccountEnabled } from '../../accounts/disable-account.ts';
import { AppError } from '../../errors.ts';
import { maxUrlLength } from '../../guard/check-url.ts';
import { clientGone } from '../../http/client-gone.ts';
import { createRateLimiter, takeOne } from '../../http/rate-limit.ts';
import { closed, urlPattern } from '../../http/schemas.ts';
import { maxInputs } from '../../inputs/limits.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

/** A person may paste the inputs of two requests at once, and then type on; nobody fetches for others through us. */
const previews = { perSecond: 1, burst: 2 * maxInputs };

/** Pictures of URLs that may become inputs, so that the browser need not ask strangers for them. */
export function previewCalls(deps: PanelDeps): PanelCall[] {
  const limiter = createRateLimiter(deps.clock);
  return [
    panelCall('POST /panel/accounts/:account_id/input-preview', {
      body: closed({ url: Type.String({ pattern: urlPattern, maxLength: maxUrlLength }) }),
      async handle({ params: { account_id: accountId }, body: { url }, viewer, reply }) {
        await assertAccountEnabled(deps.database.read, accountId);
        const { allowed, resetSeconds } = takeOne(limiter, { id: viewer.personId, ...previews });
        if (!allowed) {
          throw new AppError('too_many_requests', 'Too many previews at once. Wait a few seconds.', {
            retryAfterSeconds: Math.max(1, resetSeconds),
          });
        }
        const preview = await deps.previewInput({ url, accountId, signal: clientGone(reply) });
        return { picture: `data:${preview.mediaType};base64,${preview.content.toString('base64')}` };
      },
    }),
  ];
}
