import { jsonBody } from '../body.ts';
import { failure } from '../failure.ts';
import { pick, pickList, pickText } from '../pick.ts';
import { comfyRefusal } from './refusal.ts';
import type { ComfyUiServer } from './server.ts';

export type Run =
  | { state: 'unknown' }
  | { state: 'waiting' }
  | { state: 'ended'; failed: boolean; entry: unknown };

/** Reads the history before and after the queue, because a run may end between two reads. */
export async function findRun(server: ComfyUiServer, promptId: string, signal: AbortSignal): Promise<Run> {
  const history = async (): Promise<Run | undefined> => {
    const entry = pick((await server.get(`/history/${promptId}`, signal)).json(), promptId);
    if (entry === undefined) return undefined;
    return { state: 'ended', failed: pickText(entry, 'status', 'status_str') === 'error', entry };
  };
  const ended = await history();
  if (ended) return ended;
  const { running, pending } = await readQueue(server, signal);
  if ([...running, ...pending].includes(promptId)) return { state: 'waiting' };
  return (await history()) ?? { state: 'unknown' };
}

async function readQueue(server: ComfyUiServer, signal: AbortSignal) {
  const queue = (await server.get('/queue', signal)).json();
  const ids = (name: string) => pickList(queue, name).flatMap((item) => pickText(item, 1) ?? []);
  return { running: ids('queue_running'), pending: ids('queue_pending') };
}

/** The path of the image: the last saved image, or else the last preview. */
export function imagePath(entry: unknown, outputNode: string | undefined): string {
  const outputs = pick(entry, 'outputs');
  const nodes = outputs !== null && typeof outputs === 'object' ? Object.entries(outputs) : [];
  const images = nodes
    .filter(([node]) => outputNode === undefined || node === outputNode)
    .flatMap(([, output]) => pickList(output, 'images'));
  const chosen = images.findLast((image) => pickText(image, 'type') === 'output') ?? images.at(-1);
  const filename = pickText(chosen, 'filename');
  // The operator's graph is at fault, so another prompt would not help.
  if (!filename) throw failure('bad_response', { detail: 'the workflow ended without an image' });
  const subfolder = pickText(chosen, 'subfolder') ?? '';
  return `/view?${new URLSearchParams({ filename, subfolder, type: pickText(chosen, 'type') ?? 'output' })}`;
}

/**
 * Cancels a run by a call that servers have had since June 2026. On older servers, deletes a waiting run from the
 * queue. Their interrupt stops any run, so it is sent only while the queue shows our run as running.
 */
export async function cancelRun(server: ComfyUiServer, promptId: string, signal: AbortSignal): Promise<void> {
  const post = async (path: string, value: unknown) => {
    const answer = await server.post(path, jsonBody(value), signal);
    if (!answer.ok && answer.status !== 404 && answer.status !== 405)
      throw comfyRefusal(server.upstream, answer);
    return answer.ok;
  };
  if (await post(`/api/jobs/${promptId}/cancel`, {})) return;
  await post('/queue', { delete: [promptId] });
  const { running } = await readQueue(server, signal);
  if (running.includes(promptId)) await post('/interrupt', { prompt_id: promptId });
}
