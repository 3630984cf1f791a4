import type { FastifyInstance, FastifyReply } from 'fastify';
import { bearerToken } from '../../../../base/http/bearer.ts';
import { createRateLimiter, takeOne } from '../../../../base/http/rate-limit.ts';
import { assertFile, passBodiesOn, type SentFile, useSentFile } from '../../../../base/http/sent-file.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import { networkOf } from '../../../../base/std/networks/network-of.ts';
import { AppError } from '../../../../errors.ts';
import type { Entrance } from '../../entrance.ts';
import { type JudgeDeps, judgeOrigin } from './judge-origin.ts';
import { verifyPage } from './verify-page.ts';

// Of one address: enough for whoever looks at pictures, too slow to try many.
const limit = { perSecond: 1 / 6, burst: 10 };
const path = '/verify';

/** `GET` and `POST /verify`: whether a picture was made here, for whoever asks. In no document: most installations do not have it. */
export function registerVerify(
  server: FastifyInstance,
  deps: JudgeDeps & { entrance: Entrance; clock: Clock },
): void {
  const limiter = createRateLimiter(deps.clock);
  const schema = { hide: true } as object;
  server.register(async (scope) => {
    passBodiesOn(scope);
    scope.get(path, { schema }, async (_request, reply) => sendPage(reply, verifyPage()));
    scope.post(
      path,
      { schema, onRequest: async (request) => assertFile(request) },
      async (request, reply) => {
        const asker = networkOf(request.clientAddress);
        const { allowed, resetSeconds } = takeOne(limiter, { id: asker, ...limit });
        if (!allowed) {
          const detail =
            'Many pictures were asked about from your address. Wait before asking about another.';
          throw new AppError('too_many_requests', detail, { retryAfterSeconds: resetSeconds });
        }
        const asksAsOwner = request.headers.authorization !== undefined;
        const key = asksAsOwner ? await deps.entrance.admit(request, reply, bearerToken) : undefined;
        const who = { asker, accountId: key?.accountId };
        const judge = ({ source }: SentFile) => judgeOrigin(deps, source, who);
        const origin = await useSentFile(request, judge);
        // The form of the page, which no script sends.
        if (request.headers.accept?.includes('text/html')) return sendPage(reply, verifyPage(origin));
        return reply.header('cache-control', 'no-store').send(origin);
      },
    );
  });
}

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    )
    .send(page);
}
