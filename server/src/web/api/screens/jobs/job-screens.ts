import Type from 'typebox';
import { assertAccountEnabled } from '../../../../accounts/disable-account.ts';
import { maxUrlLength } from '../../../../base/guard/check-url.ts';
import { readCursor, writeCursor } from '../../../../base/http/cursor.ts';
import { createRateLimiter, takeOne } from '../../../../base/http/rate-limit.ts';
import { closed, urlPattern } from '../../../../base/http/schemas.ts';
import { AppError } from '../../../../errors.ts';
import { maxInputs } from '../../../../images/inputs/limits.ts';
import type { PreviewInput } from '../../../../jobs/admission/preview-input.ts';
import { screen } from '../screen.ts';
import { type JobPageDeps, readJobPage } from './read-job-page.ts';
import { waitForChanges } from './wait-for-changes.ts';

export interface JobScreenDeps extends JobPageDeps {
  previewInput: PreviewInput;
  /** Aborts when the server is about to stop, so that long polls are answered immediately. */
  closing: AbortSignal;
}

/** The rate limit of previews, enough to paste two requests' inputs and to type, but too low for downloads. */
const previews = { perSecond: 1, burst: 2 * maxInputs };
const maxCursorLength = 300;

export function jobScreens(deps: JobScreenDeps) {
  const limiter = createRateLimiter(deps.clock);
  return [
    /** A long poll. Answers after changes since `cursor`, or after 25 s; without a cursor, answers immediately. */
    screen('GET', '/panel/accounts/:account_id/jobs/changes', {
      right: 'see_pictures',
      query: closed({ cursor: Type.Optional(Type.String({ minLength: 1, maxLength: maxCursorLength })) }),
      async handle({ params, query, left }) {
        const { position, ...changes } = await waitForChanges(deps, {
          accountId: params.account_id,
          position: readCursor(query.cursor, ['number', 'number']),
          signal: AbortSignal.any([left(), deps.closing]),
        });
        return { ...changes, cursor: writeCursor(position) };
      },
    }),

    screen('GET', '/panel/accounts/:account_id/jobs/:job_id', {
      right: 'see_pictures',
      handle: ({ params, by }) =>
        readJobPage(deps, { accountId: params.account_id, jobId: params.job_id, forOperator: by.operator }),
    }),

    /** Sends a small `data:` image, because the page may contact no other server. Fails as creating a job would. */
    screen('POST', '/panel/accounts/:account_id/input-preview', {
      right: 'make_pictures',
      body: closed({ url: Type.String({ pattern: urlPattern, maxLength: maxUrlLength }) }),
      async handle({ params: { account_id: accountId }, body: { url }, by, left }) {
        await assertAccountEnabled(deps.database.read, accountId);
        const { allowed, resetSeconds } = takeOne(limiter, { id: by.personId, ...previews });
        if (!allowed) {
          throw new AppError('too_many_requests', 'Too many previews at once. Wait a few seconds.', {
            retryAfterSeconds: Math.max(1, resetSeconds),
          });
        }
        const preview = await deps.previewInput({ url, accountId, signal: left() });
        return { image: `data:${preview.mediaType};base64,${preview.content.toString('base64')}` };
      },
    }),
  ] as const;
}
