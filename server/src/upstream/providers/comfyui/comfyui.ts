import { randomUUID } from 'node:crypto';
import type { Guard } from '../../../base/guard/guard.ts';
import { allRatios } from '../../catalog/models.ts';
import type { ServerLogin } from '../base-url.ts';
import { failure } from '../failure.ts';
import { whiteMask } from '../fit-input.ts';
import { healthOf } from '../health.ts';
import { requireImage } from '../pick-image.ts';
import { cancelTimeoutMs, defaultPollMs, poll } from '../poll.ts';
import type { Capabilities, ImageRequest, Provider } from '../provider.ts';
import { runFailure } from './refusal.ts';
import { cancelRun, findRun, imagePath, type Run } from './runs.ts';
import { type ComfyUiServer, createServer } from './server.ts';
import type { ComfyUiSettings } from './settings.ts';
import {
  checkWorkflows,
  fillWorkflow,
  imageSlots,
  renameFiles,
  takesInput,
  takesMask,
  type Workflow,
  workflowFor,
  workflowWarnings,
} from './workflow.ts';

/** The server's id of a run contains the job's id, so that a retry finds the run. */
export function createComfyUi(settings: ComfyUiSettings, login: ServerLogin, guard: Guard): Provider {
  checkWorkflows(settings);
  const server = createServer(settings.baseUrl, login, guard);
  const intervalMs = settings.pollMs ?? defaultPollMs;

  /** Waits for the run to end, and returns its image; null if the file is gone. */
  async function fetchImage(promptId: string, signal: AbortSignal): Promise<Uint8Array | null> {
    const path = await poll({
      ask: () => findRun(server, promptId, signal),
      read: (run) => savedImage(run, settings.outputNode),
      intervalMs,
      signal,
    });
    return poll({
      ask: () => server.view(path, signal),
      read: (bytes) => bytes && requireImage(bytes),
      intervalMs,
      signal,
    });
  }

  return {
    id: 'comfyui',
    model: settings.model ?? 'workflow',
    capabilities: comfyUiCapabilities(settings),
    takesField: (path) => takesInput(settings.workflows, path),
    warnings: workflowWarnings(settings.workflows),

    async generate(request, { signal, remoteId, startsAnew = false, onSubmitted }) {
      const promptId = remoteId ?? (await start(server, settings.workflows, request, { signal, startsAnew }));
      if (!remoteId) await onSubmitted(promptId);
      const image = await fetchImage(promptId, signal);
      if (image) return { bytes: image };
      // A run answered from the cache names an earlier run's file, which may have been deleted.
      const again = await submit(server, settings.workflows, request, { promptId: randomUUID(), signal });
      await onSubmitted(again);
      const second = await fetchImage(again, signal);
      if (second) return { bytes: second };
      throw failure('bad_response', { detail: 'the run ended, but /view does not have its image' });
    },

    check: (signal) =>
      healthOf(async () => {
        (await server.get('/system_stats', signal)).json();
      }),

    async cancel(remoteId) {
      await cancelRun(server, remoteId, AbortSignal.timeout(cancelTimeoutMs));
    },

    [Symbol.asyncDispose]: () => server.upstream[Symbol.asyncDispose](),
  };
}

export function comfyUiCapabilities(settings: ComfyUiSettings): Capabilities {
  return {
    ratios: settings.ratios ?? allRatios,
    resolutions: settings.resolutions ?? ['1K'],
    minInputs: settings.minInputs ?? 0,
    anySize: true,
    maxInputs: settings.maxInputs ?? Math.max(...settings.workflows.map(imageSlots)),
    resumable: true,
    options: settings.workflows.some(takesMask) ? ['mask'] : [],
    needsMask: settings.workflows.every(takesMask),
  };
}

/** Reuses a run that an earlier attempt of this job started, even if its id was not recorded. */
async function start(
  server: ComfyUiServer,
  workflows: readonly Workflow[],
  request: ImageRequest,
  { signal, startsAnew }: { signal: AbortSignal; startsAnew: boolean },
): Promise<string> {
  if (startsAnew) return submit(server, workflows, request, { promptId: randomUUID(), signal });
  const earlier = await findRun(server, request.jobId, signal);
  const spent = earlier.state === 'ended' && earlier.failed;
  if (!spent && earlier.state !== 'unknown') return request.jobId;
  return submit(server, workflows, request, { promptId: spent ? randomUUID() : request.jobId, signal });
}

async function submit(
  server: ComfyUiServer,
  workflows: readonly Workflow[],
  request: ImageRequest,
  { promptId, signal }: { promptId: string; signal: AbortSignal },
): Promise<string> {
  const { mask: wanted } = request.options ?? {};
  const workflow = workflowFor(workflows, request.inputs.length, wanted !== undefined);
  if (!workflow)
    throw failure('invalid_input', { detail: `no workflow takes ${request.inputs.length} inputs` });
  const names: string[] = [];
  for (const [index, input] of request.inputs.entries()) {
    names.push(await server.upload(`darkroom-${request.jobId}-${index + 1}`, input, signal));
  }
  const mask =
    wanted && (await server.upload(`darkroom-${request.jobId}-mask`, await whiteMask(wanted), signal));
  const graph = fillWorkflow(workflow, request, { images: names, mask });
  if (promptId !== request.jobId) renameFiles(graph, promptId);
  const refusal = await server.submit(graph, promptId, signal);
  if (refusal) {
    await cancelRun(server, promptId, AbortSignal.timeout(cancelTimeoutMs)).catch(() => {});
    throw refusal;
  }
  return promptId;
}

function savedImage(run: Run, outputNode: string | undefined): string | undefined {
  if (run.state === 'waiting') return undefined;
  if (run.state === 'unknown')
    throw failure('unavailable', { sent: true, detail: 'the server has forgotten the run' });
  if (run.failed) throw runFailure(run.entry);
  return imagePath(run.entry, outputNode);
}
