import type { FastifyReply, FastifyRequest } from 'fastify';
import { maySeeImages } from '../../accounts/people/may-see-images.ts';
import { assertSecondFactor } from '../../accounts/sign-in/second-factor.ts';
import { readSession } from '../../accounts/sign-in/sessions.ts';
import { bearerToken } from '../../base/http/bearer.ts';
import type { MaySee } from '../../jobs/link-image.ts';
import type { Entrance } from './entrance.ts';
import { addCookies, type SessionDeps, sessionHeaders } from './sessions.ts';

/**
 * Returns a function that says whether the caller may see a job; undefined for strangers.
 * @throws AppError `second_factor_required`, and the errors of the entrance
 */
export async function whoSees(
  deps: Pick<SessionDeps, 'database' | 'auth' | 'secondFactor'> & { entrance: Entrance },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<MaySee | undefined> {
  if (request.headers.authorization !== undefined) {
    const key = await deps.entrance.admit(request, reply, bearerToken, true);
    return (accountId, job) =>
      accountId === key.accountId &&
      (key.clientToken === undefined || key.clientToken.id === job.clientTokenId);
  }
  if (request.headers.cookie === undefined) return undefined;
  const session = await readSession(deps, sessionHeaders(request));
  if (!session) return undefined;
  assertSecondFactor(deps.secondFactor, session.viewer);
  addCookies(reply, session.cookies);
  return (accountId) => maySeeImages(deps.database.read, session.viewer, accountId);
}
