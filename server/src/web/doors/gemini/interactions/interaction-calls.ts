import type { FastifyInstance, FastifyRequest } from 'fastify';
import { keyActor } from '../../../../base/audit/audit-store.ts';
import { acceptJsonOnly } from '../../../../base/http/json-body.ts';
import { resultLink } from '../../../../images/image-links.ts';
import { cancelJob } from '../../../../jobs/cancel/cancel-job.ts';
import { deleteImage } from '../../../../jobs/delete-images.ts';
import { getJob, unknownJob } from '../../../../jobs/get-job.ts';
import type { DoorDeps } from '../../door-deps.ts';
import { nameJobs } from '../../start-images.ts';
import { InvalidRequest } from '../fields.ts';
import { startWish } from '../generate.ts';
import { findNamed } from '../model-names.ts';
import { sendAnswer, sendJob } from '../send-answer.ts';
import { interactionOf } from './interaction-of.ts';
import { type InteractionWish, readInteraction } from './read-interaction.ts';
import { streamInteraction } from './stream-interaction.ts';

/** Serves `/v1beta/interactions`, where each interaction is a job: https://ai.google.dev/api/interactions-api */
export function registerInteractions(server: FastifyInstance, deps: DoorDeps): void {
  server.post('/interactions', async (request, reply) => {
    let [isInBackground, isStreamed] = [false, false];
    const started = await startWish(deps, request, reply, async () => {
      const found = readInteraction(request.body, (name) => findNamed(deps, name));
      ({ isInBackground, isStreamed } = found);
      return { model: found.model, wish: await withPrevious(deps, request, found) };
    });
    if (isStreamed) return streamInteraction(deps, reply, started);
    if (!isInBackground) return sendAnswer(deps, reply, started, { form: 'one', answerOf: interactionOf });
    const [jobId = ''] = started.jobIds;
    try {
      return await sendJob(deps, reply, await getJob(deps, { ...started, jobId }), interactionOf);
    } catch (error) {
      started.answer?.failed(error);
      throw error;
    }
  });

  server.get<{ Params: { job_id: string } }>('/interactions/:job_id', async (request, reply) => {
    const { stream } = request.query as { stream?: string }; // not checked by a schema, but only compared
    const job = await getJob(deps, jobOf(request));
    if (job.imageDeletedAt !== null) throw unknownJob();
    nameJobs(reply, [job.id]);
    if (stream === 'true')
      return streamInteraction(deps, reply, { ...job, jobIds: [job.id], answer: undefined });
    return sendJob(deps, reply, job, interactionOf);
  });

  server.register(async (scope) => {
    // Google's client sends the content type of JSON even without a body.
    acceptJsonOnly(scope);
    scope.post<{ Params: { job_id: string } }>('/interactions/:job_id/cancel', async (request, reply) =>
      sendJob(deps, reply, await cancelJob(deps, jobOf(request)), interactionOf),
    );
    scope.delete<{ Params: { job_id: string } }>('/interactions/:job_id', async (request) => {
      await deleteImage(deps, { ...jobOf(request), by: keyActor(request.apiKey) });
      return {};
    });
  });
}

function jobOf({ apiKey: { accountId }, params }: FastifyRequest): { accountId: string; jobId: string } {
  return { accountId, jobId: (params as { job_id: string }).job_id }; // as the paths declare it
}

/** Replaces the first input, a placeholder, with a link to the previous interaction's image. */
async function withPrevious(
  deps: DoorDeps,
  { apiKey: { accountId } }: FastifyRequest,
  { wish, previous }: InteractionWish,
): Promise<InteractionWish['wish']> {
  if (!previous) return wish;
  const job = await getJob(deps, { accountId, jobId: previous.value });
  if (!job.image)
    throw new InvalidRequest([
      {
        field: previous.field,
        description:
          job.status === 'done' ? 'has no image: it was deleted.' : `has no image: it is ${job.status}.`,
      },
    ]);
  const [, ...inputs] = wish.inputs;
  const url = resultLink(deps.links, job.id, job.image);
  return { ...wish, inputs: [{ field: previous.field, url }, ...inputs] };
}
