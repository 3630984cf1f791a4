import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import { createRateLimiter, takeOne } from '../../../../base/http/rate-limit.ts';
import { closed } from '../../../../base/http/schemas.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import { networkOf } from '../../../../base/std/networks/network-of.ts';
import { AppError } from '../../../../errors.ts';
import { makeReport, maxContactLength, maxReasonLength } from '../../../../jobs/reports/make-report.ts';
import { openShare } from '../../../../jobs/shares/share-images.ts';
import { html } from '../../html.ts';
import { guard, sharePage } from '../jobs/share-pages.ts';

// Of one address: whoever looks through an album of bad pictures, and no flood.
const limit = { perSecond: 1 / 60, burst: 5 };
const maxBodyBytes = 16 * 1024;
const path = '/shared/:token/report/:job_id';
const form = closed({
  reason: Type.String({ minLength: 1, maxLength: maxReasonLength, pattern: '\\S' }),
  contact: Type.Optional(Type.String({ maxLength: maxContactLength })),
});

/** `GET` and `POST /shared/{token}/report/{job_id}`: a report of abuse by whoever sees the picture, on a page without scripts. */
export function registerReportPages(
  server: FastifyInstance,
  deps: { database: Database; clock: Clock },
): void {
  const limiter = createRateLimiter(deps.clock);
  const open = async (params: unknown) => {
    const { token, job_id: jobId } = params as { token: string; job_id: string }; // as the path has them
    const { jobs } = await openShare(deps, token);
    const job = jobs.find(({ id }) => id === jobId);
    if (!job) throw new AppError('not_found', 'There is no such picture.');
    return { token, job };
  };
  server.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxBodyBytes },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    scope.get(path, { schema: { hide: true } as object }, async ({ params }, reply) => {
      const { token, job } = await open(params);
      guard(reply, "form-action 'self'");
      return reply.type('text/html; charset=utf-8').send(formPage(token, job.id));
    });
    scope.post(
      path,
      { schema: { hide: true, body: form } as object, bodyLimit: maxBodyBytes },
      async ({ params, body, clientAddress }, reply) => {
        const { allowed, resetSeconds } = takeOne(limiter, { id: networkOf(clientAddress), ...limit });
        if (!allowed)
          throw new AppError(
            'too_many_requests',
            'Many reports came from your address. Send this one later.',
            {
              retryAfterSeconds: resetSeconds,
            },
          );
        const { job } = await open(params);
        const { reason, contact = '' } = body as { reason: string; contact?: string }; // its schema is checked
        await makeReport(deps.database, {
          ...{ accountId: job.accountId, jobId: job.id, address: clientAddress },
          ...{ reason: reason.trim(), contact: contact.trim() || null },
        });
        guard(reply);
        return reply.status(201).type('text/html; charset=utf-8').send(thanksPage());
      },
    );
  });
}

function formPage(token: string, jobId: string): string {
  return sharePage(
    'Report a picture',
    html`<main class="form"><h1>Report this picture</h1>
<p>It goes to those who run this service, and not to whoever made the picture. They see what you write, and the address of your connection.</p>
<form method="post" action="/shared/${token}/report/${jobId}">
<label for="reason">What is wrong with it?</label>
<textarea id="reason" name="reason" rows="6" maxlength="${maxReasonLength}" required></textarea>
<label for="contact">How can you be reached? You may leave this empty.</label>
<input id="contact" name="contact" maxlength="${maxContactLength}" autocomplete="email">
<button>Send the report</button>
</form>
<p><a href="/shared/${token}">Back to the pictures</a></p></main>`,
  );
}

function thanksPage(): string {
  return sharePage(
    'Thank you',
    html`<main class="ended"><h1>Thank you</h1><p>Your report has arrived, and those who run this service will look at it.</p></main>`,
  );
}
