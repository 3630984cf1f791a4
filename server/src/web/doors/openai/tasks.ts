import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ApiKey } from '../../../accounts/key-store.ts';
import { AppError } from '../../../errors.ts';
import { getJob } from '../../../jobs/get-job.ts';
import type { Job } from '../../../jobs/job.ts';
import type { DoorDeps } from '../door-deps.ts';
import { nameJobs, type StartedImages } from '../start-images.ts';
import type { ImageOptions } from './read-options.ts';
import { type AnswerOptions, answerOptions, sendImages } from './send-images.ts';

/** The data for a later answer. Its sealed form is the task's id, so that nothing is stored. */
interface Task {
  jobIds: readonly string[];
  options: AnswerOptions;
}

const path = '/images/tasks/';
/** The maximum length of an id, enough for ten jobs and the longest `user`, each of whose characters JSON may escape. */
const maxIdLength = 6_000;

export function registerTasks(server: FastifyInstance, deps: DoorDeps): void {
  server.get<{ Params: { task_id: string } }>(`${path}:task_id`, async ({ apiKey, params }, reply) => {
    const { task_id: id } = params;
    const { jobIds, options } = openTask(deps, apiKey, id);
    const { accountId } = apiKey;
    const jobs = await Promise.all(jobIds.map((jobId) => getJob(deps, { accountId, jobId })));
    nameJobs(reply, jobIds);
    if (jobs.some(({ finishedAt }) => finishedAt === null)) return reply.code(202).send(present(id, jobs));
    return sendImages(deps, reply, { jobs, options });
  });
}

export async function sendTask(
  deps: DoorDeps,
  reply: FastifyReply,
  { started: { accountId, jobIds }, options }: { started: StartedImages; options: ImageOptions },
): Promise<FastifyReply> {
  const task: Task = { jobIds, options: answerOptions(options) };
  const id = deps.taskSealer.seal(JSON.stringify(task), ownerOf(reply.request.apiKey));
  const jobs = await Promise.all(jobIds.map((jobId) => getJob(deps, { accountId, jobId })));
  return reply
    .code(202)
    .header('location', `/v1${path}${id}`)
    .header('preference-applied', 'respond-async')
    .send(present(id, jobs));
}

function openTask({ taskSealer }: DoorDeps, key: ApiKey, id: string): Task {
  const text = id.length <= maxIdLength ? taskSealer.open(id, ownerOf(key)) : undefined;
  if (text === undefined) throw new AppError('not_found', 'There is no such task.');
  return JSON.parse(text) as Task; // sealed by `sendTask`
}

/** A client token owns its own tasks, because it must not see other images of its account. */
function ownerOf({ accountId, clientToken }: ApiKey): string {
  return clientToken?.id ?? accountId;
}

function present(id: string, jobs: readonly Job[]) {
  return { id, status: jobs.every(({ status }) => status === 'queued') ? 'queued' : 'processing' };
}
