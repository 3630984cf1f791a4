import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { maxImageBodyBytes } from '../../../base/http/bodies/body-budget.ts';
import { clientGone } from '../../../base/http/client-gone.ts';
import { maxEscapedBytes } from '../../../base/http/json-body.ts';
import { idempotencyKey, prefersAsync } from '../../../base/http/request-headers.ts';
import { fingerprintOf } from '../../../jobs/admission/fingerprint.ts';
import type { DoorDeps } from '../door-deps.ts';
import { readLargeJson } from '../large-json.ts';
import { type StartedImages, startImages, waitForImages } from '../start-images.ts';
import { maskOf, type TakenImages } from '../take-images.ts';
import { asFields } from './fields.ts';
import { readEdit } from './read-edit.ts';
import { type ImageOptions, readOptions } from './read-options.ts';
import { sendImages } from './send-images.ts';
import { streamImages } from './stream-images.ts';
import { sendTask } from './tasks.ts';

export function registerImageCalls(server: FastifyInstance, deps: DoorDeps): void {
  // Other content types are accepted here, so that the call can refuse them.
  server.addContentTypeParser('*', (request: FastifyRequest, payload: RequestPayload) => {
    const { bodyLimit: maxBytes } = request.routeOptions;
    return deps.bodies.read(request, payload, { maxBytes, reader: readLargeJson });
  });
  // A form is not read here, because the call reads it as it arrives.
  server.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null));

  server.post('/images/generations', { bodyLimit: maxEscapedBytes }, async (request, reply) => {
    const options = readOptions(deps, asFields(request.body));
    const started = await start(deps, reply, { options, images: null, mask: null });
    return answer(deps, reply, { call: 'image_generation', started, options });
  });

  server.post('/images/edits', { bodyLimit: maxImageBodyBytes }, async (request, reply) => {
    const { started, options } = await startEdit(deps, request, reply);
    return answer(deps, reply, { call: 'image_edit', started, options });
  });
}

/** Drops the uploads once the jobs have copies, or if there are no jobs. */
async function startEdit(
  deps: DoorDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ started: StartedImages; options: ImageOptions }> {
  const { fields, images, mask } = await readEdit(deps, request, () => clientGone(reply));
  await using taken = images;
  await using takenMask = mask;
  const options = readOptions(deps, fields, taken.first);
  return { started: await start(deps, reply, { options, images: taken, mask: takenMask }), options };
}

function start(
  deps: DoorDeps,
  reply: FastifyReply,
  { options, images, mask }: { options: ImageOptions; images: TakenImages | null; mask: TakenImages | null },
): Promise<StartedImages> {
  const { model, prompt, ratio, resolution, parameters, metadata, output, count } = options;
  const asked = { prompt, ratio, resolution, parameters, metadata, count, hashes: images?.hashes ?? [] };
  const more = { ...(output && { output }), ...(mask && { mask: mask.hashes }) };
  return startImages(deps, {
    reply,
    ignored: options.ignored,
    model,
    prompt,
    ratio,
    resolution,
    parameters,
    metadata,
    output,
    inputs: images?.urls ?? [],
    mask: maskOf(mask),
    count,
    fingerprint: fingerprintOf('POST', `openai ${model.id}`, { ...asked, ...more }),
    idempotencyKey: idempotencyKey(reply.request),
    signal: () => clientGone(reply),
  });
}

async function answer(
  deps: DoorDeps,
  reply: FastifyReply,
  { call, started, options }: { call: string; started: StartedImages; options: ImageOptions },
): Promise<FastifyReply> {
  if (options.stream && !prefersAsync(reply.request))
    return streamImages(deps, reply, { call, started, options });
  try {
    if (prefersAsync(reply.request)) return await sendTask(deps, reply, { started, options });
    const jobs = await waitForImages(deps, started, clientGone(reply));
    return await sendImages(deps, reply, { jobs, options });
  } catch (error) {
    started.answer?.failed(error);
    throw error;
  }
}
