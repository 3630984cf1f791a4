import type { FastifyReply } from 'fastify';
import { clientGone } from '../../../../base/http/client-gone.ts';
import { getJob } from '../../../../jobs/get-job.ts';
import type { Job } from '../../../../jobs/job.ts';
import type { DoorDeps } from '../../door-deps.ts';
import { logDoorTrouble } from '../../door-errors.ts';
import { endInError } from '../../end-in-error.ts';
import { openImages, streamOf } from '../../image-pieces.ts';
import { isSettledSoon } from '../../is-settled-soon.ts';
import { type StartedImages, waitForImages } from '../../start-images.ts';
import { mark } from '../answer-of.ts';
import { toGoogleError } from '../google-error.ts';
import { keepAlive } from '../send-answer.ts';
import { describeInteraction, imageOf } from './interaction-of.ts';

const done = 'event: done\ndata: [DONE]\n\n';

export function streamInteraction(deps: DoorDeps, reply: FastifyReply, started: StartedImages): FastifyReply {
  const gone = clientGone(reply);
  const ended = endInError(events(deps, started, gone), (error) => {
    if (gone.aborted) return '';
    started.answer?.failed(error);
    logDoorTrouble(deps.log, error, reply);
    const { status: code, message } = toGoogleError(error).error;
    return event('error', { error: { code, message } }) + done;
  });
  return reply
    .type('text/event-stream')
    .header('x-accel-buffering', 'no') // nginx would hold back the events until the end
    .send(streamOf(ended));
}

async function* events(deps: DoorDeps, started: StartedImages, gone: AbortSignal): AsyncIterable<string> {
  const [jobId = ''] = started.jobIds;
  yield event('interaction.created', {
    interaction: describeInteraction(await getJob(deps, { ...started, jobId })),
  });
  const waiting = waitForImages(deps, started, gone);
  while (!(await isSettledSoon(waiting, deps.streamKeepAliveMs))) yield keepAlive;
  const [job] = await waiting;
  if (!job) throw new Error('an interaction without a job');
  yield* step(deps, job, gone);
  yield event('interaction.completed', { interaction: describeInteraction(job) });
  yield done;
}

async function* step(deps: DoorDeps, job: Job, gone: AbortSignal): AsyncIterable<string> {
  if (!job.image) return;
  const index = 0; // the image is the only step
  yield event('step.start', { index, step: { type: 'model_output', content: [] } });
  const [before = '', after = ''] = event('step.delta', { index, delta: imageOf(job.image) }).split(mark);
  for await (const image of await openImages(deps, [job], gone)) {
    yield before;
    yield* image;
    yield after;
  }
  yield event('step.stop', { index });
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ event_type: type, ...fields })}\n\n`;
}
