import type { FastifyReply } from 'fastify';
import { clientGone } from '../../../base/http/client-gone.ts';
import type { Job } from '../../../jobs/job.ts';
import type { DoorDeps } from '../door-deps.ts';
import { logDoorTrouble } from '../door-errors.ts';
import { endInError } from '../end-in-error.ts';
import { openImages, streamOf, withoutImage } from '../image-pieces.ts';
import { isSettledSoon } from '../is-settled-soon.ts';
import { type StartedImages, waitForImages } from '../start-images.ts';
import type { ImageOptions } from './read-options.ts';
import { describeError } from './send-error.ts';
import { describeImages } from './send-images.ts';

interface Streamed {
  call: string;
  started: StartedImages;
  options: ImageOptions;
}

/** Sends an event for each image that is done, or an error if none is. */
export function streamImages(deps: DoorDeps, reply: FastifyReply, streamed: Streamed): FastifyReply {
  const gone = clientGone(reply);
  const ended = endInError(events(deps, streamed, gone), (error) => {
    if (gone.aborted) return '';
    streamed.started.answer?.failed(error);
    logDoorTrouble(deps.log, error, reply);
    return `event: error\ndata: ${JSON.stringify({ type: 'error', error: describeError(error) })}\n\n`;
  });
  return reply
    .type('text/event-stream; charset=utf-8')
    .header('x-accel-buffering', 'no') // nginx would hold back the events until the end
    .send(streamOf(ended));
}

async function* events(
  deps: DoorDeps,
  { call, started, options }: Streamed,
  gone: AbortSignal,
): AsyncIterable<string> {
  const waiting = waitForImages(deps, started, gone);
  while (!(await isSettledSoon(waiting, deps.streamKeepAliveMs))) yield ': still running\n\n';
  const jobs = await waiting;
  const made = jobs.filter(({ image }) => image);
  if (made.length === 0) throw withoutImage(jobs);
  for (const job of made) yield* completed(deps, { call, job, options }, gone);
}

async function* completed(
  deps: DoorDeps,
  { call, job, options }: { call: string; job: Job; options: ImageOptions },
  gone: AbortSignal,
): AsyncIterable<string> {
  const type = `${call}.completed`;
  const { created, ...described } = describeImages([job], options);
  const event = JSON.stringify({ type, created_at: created, quality: options.quality, ...described });
  const images = await openImages(deps, [job], gone);
  for await (const image of images) {
    yield `event: ${type}\ndata: ${event.slice(0, -1)},"b64_json":"`;
    yield* image;
    yield '"}\n\n';
  }
}
