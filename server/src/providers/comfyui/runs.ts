import { failure } from '../failure.ts';
import { pick, pickList, pickText } from '../pick.ts';
import type { Answer, Upstream } from '../upstream.ts';
import type { ComfyUiServer } from './server.ts';

/** What the server knows of a prompt id. */
export type Run =
  | { state: 'unknown' }
  | { state: 'waiting' }
  | { state: 'ended'; failed: boolean; entry: unknown };

/** The history has what ended, the queue what did not; a run that ends between the two looks is seen by the third. */
export async function findRun(server: ComfyUiServer, promptId: string, signal: AbortSignal): Promise<Run> {
  const history = async (): Promise<Run | undefined> => {
    const entry = pick((await server.get(`/history/${promptId}`, signal)).json(), promptId);
    if (entry === undefined) return undefined;
    return { state: 'ended', failed: pickText(entry, 'status', 'status_str') === 'error', entry };
  };
  const ended = await history();
  if (ended) return ended;
  const queue = (await server.get('/queue', signal)).json();
  const queued = [...pickList(queue, 'queue_running'), ...pickList(queue, 'queue_pending')];
  if (queued.some((item) => pickText(item, 1) === promptId)) return { state: 'waiting' };
  return (await history()) ?? { state: 'unknown' };
}

/** Where the made image is: saved rather than previewed, the last if a graph saves several. */
export function imagePath(entry: unknown, outputNode: string | undefined): string {
  const outputs = pick(entry, 'outputs');
  const nodes = outputs !== null && typeof outputs === 'object' ? Object.entries(outputs) : [];
  const images = nodes
    .filter(([node]) => outputNode === undefined || node === outputNode)
    .flatMap(([, output]) => pickList(output, 'images'));
  const chosen = images.findLast((image) => pickText(image, 'type') === 'output') ?? images.at(-1);
  const filename = pickText(chosen, 'filename');
  if (!filename) throw failure('no_image', { detail: 'the workflow ended without an image' });
  const subfolder = pickText(chosen, 'subfolder') ?? '';
  return `/view?${new URLSearchParams({ filename, subfolder, type: pickText(chosen, 'type') ?? 'output' })}`;
}

/** Since December 2025 one call; before that, a waiting run leaves the queue and a running one is interrupted. */
export async function cancelRun(
  post: (path: string, value: unknown) => Promise<Answer>,
  upstream: Upstream,
  promptId: string,
): Promise<void> {
  const answer = await post(`/api/jobs/${promptId}/cancel`, {});
  if (answer.ok) return;
  if (answer.status !== 404 && answer.status !== 405) throw upstream.refusal(answer);
  for (const [path, value] of [
    ['/queue', { delete: [promptId] }],
    ['/interrupt', { prompt_id: promptId }],
  ] as const) {
    const older = await post(path, value);
    if (!older.ok) throw upstream.refusal(older);
  }
}
