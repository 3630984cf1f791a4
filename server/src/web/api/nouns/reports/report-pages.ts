import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Brand } from '../../../../base/brand/brand.ts';
import type { Database } from '../../../../base/db/database.ts';
import { createRateLimiter, takeOne } from '../../../../base/http/rate-limit.ts';
import { closed, hidden } from '../../../../base/http/schemas.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import type { Log } from '../../../../base/std/log.ts';
import { type Html, html } from '../../../../base/std/markup/html.ts';
import { networkOf } from '../../../../base/std/networks/network-of.ts';
import { AppError } from '../../../../errors.ts';
import { renditionWidths } from '../../../../images/renditions.ts';
import {
  inboxFull,
  makeReport,
  maxContactLength,
  maxReasonLength,
} from '../../../../jobs/reports/make-report.ts';
import { openSharedImage } from '../../../../jobs/shares/share-images.ts';
import { answerWithPages } from '../../answer-with-pages.ts';
import { type Reader, readerOf, sayProblem } from '../../page-reader.ts';
import { fileOf, sendPage, sharePage, whyNothing, wordsPage } from '../jobs/share-pages.ts';

// The rate limit per address, enough to report an album's images one by one, but not for a flood.
const limit = { perSecond: 1 / 60, burst: 5 };
// The maximum size of a form. A character may take three bytes, each sent as three characters (`%E2`).
const maxBodyBytes = 9 * (maxReasonLength + maxContactLength) + 1_000;
const path = '/shared/:token/report/:job_id';
const form = closed({
  reason: Type.String({ minLength: 1, maxLength: maxReasonLength, pattern: '\\S' }),
  contact: Type.Optional(Type.String({ maxLength: maxContactLength })),
});

export function registerReportPages(
  server: FastifyInstance,
  deps: { database: Database; clock: Clock; log: Log; brand: { now(): Brand } },
): void {
  const limiter = createRateLimiter(deps.clock);
  const reader = (request: FastifyRequest, reply: FastifyReply) => readerOf(request, reply, deps.brand.now());
  const open = async (params: unknown) => {
    const { token, job_id: jobId } = params as { token: string; job_id: string }; // as the path has them
    const job = await openSharedImage(deps, token, jobId);
    if (!job) throw new AppError('not_found', 'There is no such image.');
    return { token, job };
  };
  server.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxBodyBytes },
      (_request, body, done) => done(null, readForm(String(body))),
    );
    answerWithPages(scope, {
      log: deps.log,
      isForPeople: () => true,
      send: (problem, request, reply) =>
        sendPage(reply, problemPage(reader(request, reply), problem, request)),
    });
    scope.get(path, hidden, async (request, reply) => {
      const { token, job } = await open(request.params);
      const image = `/shared/${token}/${fileOf(job)}?w=${renditionWidths[0]}`;
      return sendPage(reply, formPage(reader(request, reply), { token, jobId: job.id, image }));
    });
    scope.post(
      path,
      { schema: { hide: true, body: form }, bodyLimit: maxBodyBytes },
      async (request, reply) => {
        const { params, body, clientAddress } = request;
        const { allowed, resetSeconds } = takeOne(limiter, { id: networkOf(clientAddress), ...limit });
        if (!allowed)
          throw new AppError('too_many_requests', 'Many reports came from your address.', {
            retryAfterSeconds: resetSeconds,
          });
        const { token, job } = await open(params);
        const { reason, contact = '' } = body as { reason: string; contact?: string }; // validated by its schema
        await makeReport(deps.database, {
          ...{ accountId: job.accountId, jobId: job.id, address: clientAddress },
          ...{ reason: reason.trim(), contact: contact.trim() || null },
        });
        return sendPage(reply.status(201), thanksPage(reader(request, reply), token));
      },
    );
  });
}

/** Turns each line end into one character, because browsers count it as one but send two. */
function readForm(body: string): Record<string, string> {
  const fields = [...new URLSearchParams(body)];
  return Object.fromEntries(fields.map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]));
}

/** Shows the form with the error and the entered text, so that people can send it again. */
function problemPage(reader: Reader, problem: AppError, { method, params, body }: FastifyRequest): string {
  const { say } = reader;
  if (problem.code === 'not_found' || problem.code === 'image_gone')
    return wordsPage(reader, say('Nothing is here to report'), whyNothing(reader, problem));
  if (method !== 'POST')
    return wordsPage(reader, say('This page cannot be shown now'), sayProblem(reader, problem));
  const { token, job_id: jobId } = params as { token: string; job_id: string }; // as the path has them
  const { reason, contact } = Object(body) as Record<string, unknown>; // it may be anything
  return formPage(reader, {
    token,
    jobId,
    reason: textOf(reason),
    contact: textOf(contact),
    trouble: whyNotSent(reader, problem),
  });
}

function whyNotSent(reader: Reader, problem: AppError): string {
  const { say } = reader;
  if (problem.code === 'invalid_request')
    return say('Write what is wrong, in at most {count} characters.', { count: maxReasonLength });
  if (problem.details.errors?.[0]?.code === inboxFull)
    return say('Many reports wait to be looked at. Send yours later.');
  return sayProblem(reader, problem);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

interface Form {
  token: string;
  jobId: string;
  /** The image, shown so that people see which of the link's images they are reporting. */
  image?: string;
  reason?: string;
  contact?: string;
  trouble?: string;
}

function formPage(reader: Reader, { token, jobId, image, reason, contact, trouble }: Form): string {
  const { say } = reader;
  return sharePage(
    reader,
    say('Report an image'),
    html`<main class="form"><h1>${say('Report this image')}</h1>
${image !== undefined && html`<img src="${image}" alt="${say('The image that you report')}">`}
<p>${say('It goes to those who run this service, and not to whoever made the image. They see what you write, and the address of your connection.')}</p>
${trouble !== undefined && html`<p role="alert">${say('Your report was not sent.')} ${trouble}</p>`}
<form method="post" action="/shared/${token}/report/${jobId}">
<label for="reason">${say('What is wrong with it?')}</label>
<textarea id="reason" name="reason" rows="6" maxlength="${maxReasonLength}" required>${reason}</textarea>
<label for="contact">${say('How can you be reached? You may leave this empty.')}</label>
<input id="contact" name="contact" maxlength="${maxContactLength}" value="${contact}" autocomplete="email">
<button>${say('Send the report')}</button>
</form>
${backTo(reader, token)}</main>`,
  );
}

function thanksPage(reader: Reader, token: string): string {
  const { say } = reader;
  const text = say('Your report has arrived, and those who run this service will look at it.');
  return wordsPage(reader, say('Thank you'), text, backTo(reader, token));
}

function backTo({ say }: Reader, token: string): Html {
  return html`<p><a href="/shared/${token}">${say('Back to the images')}</a></p>`;
}
