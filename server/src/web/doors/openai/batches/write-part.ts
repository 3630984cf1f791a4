import { AppError } from '../../../../errors.ts';
import { readBatchJobs } from '../../../../jobs/batches/batch-results.ts';
import { findAnswers } from '../../../../jobs/batches/batch-source-store.ts';
import type { Batch } from '../../../../jobs/batches/batch-store.ts';
import type { Job } from '../../../../jobs/job.ts';
import type { DoorDeps } from '../../door-deps.ts';
import { NoImages } from '../../door-errors.ts';
import { errorAnswer } from '../send-error.ts';
import { type AnswerOptions, writeAnswer } from '../send-images.ts';
import { readAnswers } from './answers.ts';
import type { Part } from './ids.ts';

/** Writes lines in the order of the requests. Images go out in pieces, so that none is in memory as a whole. */
export async function* writePart(
  deps: DoorDeps,
  { id }: Batch,
  part: Part,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const answers = readAnswers((await findAnswers(deps.database.read, id)) ?? '{"ways":[],"lines":[]}');
  for await (const { index, job } of readBatchJobs(deps.database, id)) {
    const answer = answers[index];
    if (!answer || (job.status === 'done') !== (part === 'output')) continue;
    yield `{"id":"batch_req_${job.id.replaceAll('-', '')}","custom_id":${JSON.stringify(answer.customId)},`;
    yield* writeEnd(deps, job, answer.options, signal);
    yield '}\n';
  }
}

async function* writeEnd(
  deps: DoorDeps,
  job: Job,
  options: AnswerOptions,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const notMade = job.errorCode && neverMade[job.errorCode];
  if (notMade) {
    yield `"response":null,"error":${JSON.stringify({ code: notMade, message: job.error })}`;
    return;
  }
  const { status, body } = await answerOf(deps, job, options, signal);
  yield `"response":{"status_code":${status},"request_id":${JSON.stringify(job.requestId ?? job.id)},"body":`;
  if (typeof body === 'string') yield body;
  else yield* body;
  yield '},"error":null';
}

/** OpenAI's error codes for requests that ended without an answer. */
const neverMade: Partial<Record<NonNullable<Job['errorCode']>, string>> = {
  cancelled: 'batch_cancelled',
  deadline_exceeded: 'batch_expired',
};

async function answerOf(
  deps: DoorDeps,
  job: Job,
  options: AnswerOptions,
  signal: AbortSignal,
): Promise<{ status: number; body: string | AsyncIterable<string> }> {
  try {
    if (job.status !== 'done') throw new NoImages(job);
    if (!job.image) throw new AppError('image_gone', 'The image was made, but has been removed since.');
    return { status: 200, body: await writeAnswer(deps, [job], options, signal) };
  } catch (error) {
    signal.throwIfAborted();
    const { status, body } = errorAnswer(error);
    return { status, body: JSON.stringify(body) };
  }
}
