import type { FastifyReply } from 'fastify';
import { clientGone } from '../../../base/http/client-gone.ts';
import type { Job } from '../../../jobs/job.ts';
import { base64Length } from '../base64.ts';
import type { DoorDeps } from '../door-deps.ts';
import { endInError } from '../end-in-error.ts';
import { openImages, streamOf } from '../image-pieces.ts';
import { isSettledSoon } from '../is-settled-soon.ts';
import { type StartedImages, waitForImages } from '../start-images.ts';
import { toGoogleError } from './google-error.ts';

/** `one` is a JSON object; `events` and `list` are streams of one object. */
export type Form = 'one' | 'events' | 'list';

interface How {
  form: Form;
  /** Splits the JSON at the base64 of its image, if it has one. */
  answerOf(job: Job): { head: string; tail: string };
}

const wrappers: Record<Form, { type: string; before: string; after: string }> = {
  one: { type: 'application/json; charset=utf-8', before: '', after: '' },
  list: { type: 'application/json; charset=utf-8', before: '[', after: ']' },
  events: { type: 'text/event-stream', before: 'data: ', after: '\r\n\r\n' },
};

export const keepAlive = ': the image is being made\r\n\r\n';

interface Ready {
  bytes: number;
  pieces: AsyncIterable<string>;
}

export async function sendAnswer(
  deps: DoorDeps,
  reply: FastifyReply,
  started: StartedImages,
  how: How,
): Promise<FastifyReply> {
  const { form } = how;
  const { type } = wrappers[form];
  const ready = makeReady(deps, reply, started, how).catch((error: unknown) => {
    started.answer?.failed(error);
    throw error;
  });
  if (form === 'events' && !(await isSettledSoon(ready, deps.streamKeepAliveMs)))
    return reply
      .type(type)
      .send(streamOf(endInError(whileWaiting(ready, deps.streamKeepAliveMs), errorEvent)));
  return send(reply, await ready, type);
}

export async function sendJob(
  deps: DoorDeps,
  reply: FastifyReply,
  job: Job,
  answerOf: How['answerOf'],
): Promise<FastifyReply> {
  const ready = await readyOf(deps, job, { form: 'one', answerOf }, clientGone(reply));
  return send(reply, ready, wrappers.one.type);
}

function send(reply: FastifyReply, { bytes, pieces }: Ready, type: string): FastifyReply {
  return reply.type(type).header('content-length', bytes).send(streamOf(pieces));
}

async function makeReady(
  deps: DoorDeps,
  reply: FastifyReply,
  started: StartedImages,
  how: How,
): Promise<Ready> {
  const signal = clientGone(reply);
  const [job] = await waitForImages(deps, started, signal);
  if (!job) throw new Error('a request without a job');
  return readyOf(deps, job, how, signal);
}

async function readyOf(
  deps: DoorDeps,
  job: Job,
  { form, answerOf }: How,
  signal: AbortSignal,
): Promise<Ready> {
  const { before, after } = wrappers[form];
  const { head, tail } = answerOf(job);
  const around = Buffer.byteLength(before + head + tail + after);
  if (!job.image) return { bytes: around, pieces: one(before + head + tail + after) };
  const images = await openImages(deps, [job], signal);
  async function* pieces() {
    yield before + head;
    for await (const image of images) yield* image;
    yield tail + after;
  }
  return { bytes: around + base64Length(job.image.bytes), pieces: pieces() };
}

async function* one(text: string): AsyncIterable<string> {
  yield text;
}

/** Yields comments to keep the connection alive. */
async function* whileWaiting(ready: Promise<Ready>, keepAliveMs: number): AsyncIterable<string> {
  do yield keepAlive;
  while (!(await isSettledSoon(ready, keepAliveMs)));
  yield* (await ready).pieces;
}

function errorEvent(error: unknown): string {
  const { before, after } = wrappers.events;
  return before + JSON.stringify(toGoogleError(error)) + after;
}
