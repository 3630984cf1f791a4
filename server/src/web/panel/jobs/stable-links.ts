import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { maySeePictures } from '../../../accounts/people/may-see-pictures.ts';
import { clientAddressHeader } from '../../../accounts/sign-in/auth-names.ts';
import { assertSecondFactor } from '../../../accounts/sign-in/second-factor.ts';
import { readSession } from '../../../accounts/sign-in/sessions.ts';
import { bearerToken } from '../../../base/http/bearer.ts';
import { invalidField } from '../../../errors.ts';
import { atWidth } from '../../../images/image-links.ts';
import { renditionWidths } from '../../../images/renditions.ts';
import { linkImage, type MaySee } from '../../../jobs/link-image.ts';
import type { Entrance } from '../../api/entrance.ts';
import { addCookies } from '../../api/sessions.ts';
import type { PanelDeps } from '../panel-deps.ts';

/**
 * A browser asks again after so long. What it was sent to holds for a day, so a minute more or less tells nobody anything
 * new.
 */
const keptSeconds = 300;

/**
 * `GET /jobs/{job_id}/image`: an address that stays, for whoever holds a key of the account or is signed in to it. It leads to
 * the signed link of the moment; with `?w=` to a smaller picture.
 */
export function registerStableLinks(server: FastifyInstance, deps: PanelDeps & { entrance: Entrance }): void {
  server.get('/jobs/:job_id/image', { schema: { hide: true } as object }, async (request, reply) => {
    reply.header('vary', 'Origin, Authorization, Cookie').header('cache-control', 'no-store');
    const { job_id: jobId } = request.params as { job_id: string }; // as the path has it
    const width = wantedWidth(request);
    const link = await linkImage(deps, jobId, await whoAsks(deps, request, reply));
    return reply
      .header('cache-control', `private, max-age=${keptSeconds}`)
      .redirect(width === undefined ? link : atWidth(link, width), 302);
  });
}

/** By the key; without one, by the session. @throws AppError `key_missing` and others of the entrance */
async function whoAsks(
  deps: PanelDeps & { entrance: Entrance },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<MaySee> {
  const { cookie } = request.headers;
  if (request.headers.authorization === undefined && cookie !== undefined) {
    const session = await readSession(
      deps,
      new Headers({ cookie, [clientAddressHeader]: request.clientAddress }),
    );
    if (session) {
      const { viewer, cookies } = session;
      assertSecondFactor(deps.installation.secondFactor, viewer);
      addCookies(reply, cookies);
      return (accountId) => maySeePictures(deps.database.read, viewer, accountId);
    }
  }
  const key = await deps.entrance.admit(request, reply, bearerToken, true);
  return (accountId, job) =>
    accountId === key.accountId &&
    (key.clientToken === undefined || key.clientToken.id === job.clientTokenId);
}

/** @throws AppError `invalid_request` */
function wantedWidth(request: FastifyRequest) {
  const { w } = request.query as { w?: string };
  if (w === undefined) return undefined;
  const width = renditionWidths.find((known) => String(known) === w);
  if (width === undefined) throw invalidField('/query/w', `must be one of ${renditionWidths.join(', ')}.`);
  return width;
}
