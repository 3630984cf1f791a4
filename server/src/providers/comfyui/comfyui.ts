import { randomUUID } from 'node:crypto';
import { allRatios } from '../../catalog/models.ts';
import { jsonBody } from '../body.ts';
import { failure } from '../failure.ts';
import { healthOf } from '../health.ts';
import { cancelTimeoutMs, defaultPollMs, poll } from '../poll.ts';
import type { Capabilities, ImageRequest, Provider } from '../provider.ts';
import { requireImage } from '../sniff-image.ts';
import { runFailure } from './refusal.ts';
import { cancelRun, findRun, imagePath, type Run } from './runs.ts';
import { type ComfyUiServer, createServer } from './server.ts';
import type { ComfyUiSettings } from './settings.ts';
import { checkWorkflows, fillWorkflow, imageSlots, type Workflow, workflowFor } from './workflow.ts';

/** ComfyUI runs the operator's workflow; the job's id is the prompt's, so that a submitted run is found again. */
export function createComfyUi(settings: ComfyUiSettings): Provider {
  checkWorkflows(settings.workflows);
  const server = createServer(settings);
  const intervalMs = settings.pollMs ?? defaultPollMs;

  return {
    id: 'comfyui',
    model: settings.model ?? 'workflow',
    capabilities: capabilities(settings),

    async generate(request, { signal, remoteId, onSubmitted }) {
      const promptId = remoteId ?? (await start(server, settings.workflows, request, signal));
      if (!remoteId) await onSubmitted(promptId);
      const path = await poll({
        ask: () => findRun(server, promptId, signal),
        read: (run) => savedImage(run, settings.outputNode),
        intervalMs,
        signal,
      });
      const image = {
        ask: () => server.get(path, signal),
        read: ({ bytes }: { bytes: Buffer }) => requireImage(bytes),
      };
      return { bytes: await poll({ ...image, intervalMs, signal }) };
    },

    check: (signal) =>
      healthOf(async () => {
        (await server.get('/system_stats', signal)).json();
      }),

    async cancel(remoteId) {
      const signal = AbortSignal.timeout(cancelTimeoutMs);
      const post = (path: string, value: unknown) => server.post(path, jsonBody(value), signal);
      await cancelRun(post, server.upstream, remoteId);
    },

    [Symbol.asyncDispose]: () => server.upstream[Symbol.asyncDispose](),
  };
}

function capabilities(settings: ComfyUiSettings): Capabilities {
  return {
    ratios: settings.ratios ?? allRatios,
    resolutions: settings.resolutions ?? ['1K'],
    maxInputs: settings.maxInputs ?? Math.max(...settings.workflows.map(imageSlots)),
    resumable: true,
  };
}

/** A run of this job that an earlier attempt started counts, even if nobody was told its id. */
async function start(
  server: ComfyUiServer,
  workflows: readonly Workflow[],
  request: ImageRequest,
  signal: AbortSignal,
): Promise<string> {
  const earlier = await findRun(server, request.jobId, signal);
  const spent = earlier.state === 'ended' && earlier.failed;
  if (!spent && earlier.state !== 'unknown') return request.jobId;
  const workflow = workflowFor(workflows, request.inputs.length);
  if (!workflow)
    throw failure('invalid_input', { detail: `no workflow takes ${request.inputs.length} inputs` });
  const names: string[] = [];
  for (const [index, input] of request.inputs.entries()) {
    names.push(await server.upload(`darkroom-${request.jobId}-${index + 1}`, input, signal));
  }
  const promptId = spent ? randomUUID() : request.jobId;
  await server.submit(fillWorkflow(workflow, request, names), promptId, signal);
  return promptId;
}

function savedImage(run: Run, outputNode: string | undefined): string | undefined {
  if (run.state === 'waiting') return undefined;
  if (run.state === 'unknown') throw failure('unavailable', { detail: 'the server has forgotten the run' });
  if (run.failed) throw runFailure(run.entry);
  return imagePath(run.entry, outputNode);
}
