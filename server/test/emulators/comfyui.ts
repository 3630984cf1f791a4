import { randomUUID } from 'node:crypto';
import { pick, pickText } from '../../src/providers/pick.ts';
import { type Emulator, type Recorded, type Reply, startEmulator } from './emulator.ts';
import { picture } from './picture.ts';

export interface ComfyUiEmulator extends Emulator {
  /** Prompt ids of all runs that were queued. */
  accepted: string[];
  cancelled: string[];
  size: { width: number; height: number };
  /** Puts a run into the history as if it had ended so. */
  ends(promptId: string, entry: unknown): void;
}

/** ComfyUI's own API. Stages: `upload`, `submit`, `history`, `queue`, `view`, `cancel`, `dequeue`, `interrupt`, `stats`. */
export async function startComfyUi(): Promise<ComfyUiEmulator> {
  const accepted: string[] = [];
  const cancelled: string[] = [];
  const history = new Map<string, unknown>();
  const looks = new Map<string, number>();
  const size = { width: 64, height: 48 };

  const submit = (request: Recorded): Reply => {
    const body = request.json();
    const graph = pick(body, 'prompt');
    if (graph === null || typeof graph !== 'object' || Object.keys(graph).length === 0)
      return comfyReplies.refused('no_prompt', 'No prompt provided');
    const id = pickText(body, 'prompt_id') ?? randomUUID();
    accepted.push(id);
    history.delete(id);
    return { body: { prompt_id: id, number: accepted.length, node_errors: {} } };
  };
  // Waiting, running, then in the history: one state for each look at the queue.
  const queue = (): Reply => {
    const open = accepted.filter((id) => !history.has(id));
    const running: unknown[] = [];
    for (const id of open) {
      const look = looks.get(id) ?? 0;
      looks.set(id, look + 1);
      if (look >= 1) history.set(id, comfyReplies.ended([`${id}.png`]));
      else running.push([1, id, {}, {}, []]);
    }
    return { body: { queue_running: running, queue_pending: [] } };
  };
  const upload = async (request: Recorded): Promise<Reply> => {
    const image = (await request.form()).get('image');
    if (image === null || typeof image === 'string') return { status: 400, body: '' };
    return { body: { name: `renamed-${image.name}`, subfolder: '', type: 'input' } };
  };
  const past = (match: RegExpMatchArray): Reply => {
    const id = match[1] ?? '';
    return { body: history.has(id) ? { [id]: history.get(id) } : {} };
  };
  const cancel = (match: RegExpMatchArray): Reply => {
    cancelled.push(match[1] ?? '');
    return { body: { cancelled: true } };
  };
  const emulator = await startEmulator([
    { method: 'POST', path: /^\/upload\/image$/, stage: 'upload', handle: upload },
    { method: 'POST', path: /^\/prompt$/, stage: 'submit', handle: submit },
    {
      method: 'GET',
      path: /^\/history\/([\w-]+)$/,
      stage: 'history',
      handle: (_request, match) => past(match),
    },
    { method: 'GET', path: /^\/queue$/, stage: 'queue', handle: queue },
    { method: 'GET', path: /^\/view$/, stage: 'view', handle: async () => ({ body: await picture(size) }) },
    {
      method: 'POST',
      path: /^\/api\/jobs\/([\w-]+)\/cancel$/,
      stage: 'cancel',
      handle: (_request, match) => cancel(match),
    },
    { method: 'POST', path: /^\/queue$/, stage: 'dequeue', handle: () => ({ body: '' }) },
    { method: 'POST', path: /^\/interrupt$/, stage: 'interrupt', handle: () => ({ body: '' }) },
    {
      method: 'GET',
      path: /^\/system_stats$/,
      stage: 'stats',
      handle: () => ({ body: { system: { comfyui_version: '0.36.0' } } }),
    },
  ]);
  return Object.assign(emulator, {
    accepted,
    cancelled,
    size,
    ends: (id: string, entry: unknown) => void history.set(id, entry),
  });
}

export const comfyReplies = {
  refused: (type: string, message: string, nodeErrors: unknown = {}): Reply => ({
    status: 400,
    body: { error: { type, message, details: '', extra_info: {} }, node_errors: nodeErrors },
  }),
  ended: (filenames: readonly string[]): unknown => ({
    prompt: [1, 'x', {}, {}, []],
    outputs: { '9': { images: filenames.map((filename) => ({ filename, subfolder: '', type: 'output' })) } },
    status: { status_str: 'success', completed: true, messages: [['execution_success', {}]] },
    meta: {},
  }),
  failed: (event: string, data: Record<string, unknown>): unknown => ({
    outputs: {},
    status: {
      status_str: 'error',
      completed: false,
      messages: [
        ['execution_start', {}],
        [event, data],
      ],
    },
  }),
};
