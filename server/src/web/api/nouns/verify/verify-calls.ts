import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Brand } from '../../../../base/brand/brand.ts';
import { createRateLimiter, takeOne } from '../../../../base/http/rate-limit.ts';
import { isForPeople } from '../../../../base/http/request-headers.ts';
import { hidden } from '../../../../base/http/schemas.ts';
import { assertFile, passBodiesOn, useSentFile } from '../../../../base/http/sent-file.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import type { Log } from '../../../../base/std/log.ts';
import { networkOf } from '../../../../base/std/networks/network-of.ts';
import { AppError, invalidField } from '../../../../errors.ts';
import type { OpenOwn } from '../../../../images/inputs/fetch-input.ts';
import { OwnLinkError } from '../../../../images/inputs/input-errors.ts';
import { answerWithPages } from '../../answer-with-pages.ts';
import { readerOf } from '../../page-reader.ts';
import { whoSees } from '../../who-sees.ts';
import { sendPage } from '../jobs/share-pages.ts';
import { type Asked, type JudgeDeps, judgeOrigin, type Origin } from './judge-origin.ts';
import { verifyPage, whyNotAsked } from './verify-page.ts';

// The rate limit per address, enough for people but too low for trying many images.
const limit = { perSecond: 1 / 6, burst: 10 };
const path = '/verify';

const formType = 'application/x-www-form-urlencoded';
const maxFormBytes = 16 * 1024;

type VerifyDeps = JudgeDeps &
  Parameters<typeof whoSees>[0] & { clock: Clock; log: Log; openOwn: OpenOwn; brand: { now(): Brand } };

export function registerVerify(server: FastifyInstance, deps: VerifyDeps): void {
  const limiter = createRateLimiter(deps.clock);
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const asker = networkOf(request.clientAddress);
    const { allowed, resetSeconds } = takeOne(limiter, { id: asker, ...limit });
    if (!allowed) {
      const detail = 'Many images were checked from your address. Wait before you check another.';
      throw new AppError('too_many_requests', detail, { retryAfterSeconds: resetSeconds });
    }
    const who = { asker, maySee: await whoSees(deps, request, reply) };
    if (isForm(request)) return judgeLink(deps, request.body, who);
    return useSentFile(request, ({ source: file, pointer }) => judgeOrigin(deps, { file, pointer, ...who }));
  };
  server.register(async (scope) => {
    passBodiesOn(scope);
    answerWithPages(scope, {
      log: deps.log,
      isForPeople,
      send(problem, request, reply) {
        const reader = readerOf(request, reply, deps.brand.now());
        return sendPage(reply, verifyPage(reader, { wrong: whyNotAsked(reader, problem) }));
      },
    });
    scope.addContentTypeParser(
      formType,
      { parseAs: 'string', bodyLimit: maxFormBytes },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    scope.get(path, hidden, async (request, reply) =>
      sendPage(reply, verifyPage(readerOf(request, reply, deps.brand.now()))),
    );
    const onRequest = async (request: FastifyRequest) => {
      if (!isForm(request)) assertFile(request);
    };
    scope.post(path, { ...hidden, onRequest }, async (request, reply) => {
      const origin = await answer(request, reply);
      if (isForPeople(request))
        return sendPage(reply, verifyPage(readerOf(request, reply, deps.brand.now()), { origin }));
      return reply.header('cache-control', 'no-store').send(origin);
    });
  });
}

function isForm({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() === formType;
}

/** Opens only our own links, because otherwise anyone could make us fetch any address. */
async function judgeLink(
  deps: VerifyDeps,
  form: unknown,
  who: Pick<Asked, 'asker' | 'maySee'>,
): Promise<Origin> {
  const { url = '' } = form as { url?: string }; // parsed as a form
  try {
    using own = await deps.openOwn(url.trim(), '');
    if (own) return await judgeOrigin(deps, { file: own.body, pointer: '/url', ...who });
  } catch (error) {
    if (error instanceof OwnLinkError) throw invalidField('/url', error.message, error.why);
    throw error;
  }
  throw invalidField(
    '/url',
    'must be a link to an image of this service; other links are not fetched.',
    'link_invalid',
  );
}
