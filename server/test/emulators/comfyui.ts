import { randomUUID } from 'node:crypto';
import { pick, pickText } from '../../src/upstream/providers/pick.ts';
import { type Emulator, type Recorded, type Reply, startEmulator } from './emulator.ts';
import { sampleImage } from './sample-image.ts';

export interface ComfyUiEmulator extends Emulator {
  accepted: string[];
  cancelled: string[];
  size: { width: number; height: number };
  /** Nodes that are refused while others are queued; the answer is still a 200. */
  nodeErrors: Record<string, unknown>;
  /** Files that `/view` no longer has. */
  gone: Set<string>;
  /** A server from before June 2026: no call to cancel one job, and an interrupt that stops any run. */
  isOld: boolean;
  /** Further node classes of the server, as `/object_info` declares their inputs. */
  declared: Record<string, unknown>;
  ends(promptId: string, entry: unknown): void;
}

/** ComfyUI's own API. Stages: `upload`, `submit`, `history`, `queue`, `view`, `cancel`, `dequeue`, `interrupt`, `stats`, `types`. */
export async function startComfyUi(): Promise<ComfyUiEmulator> {
  const accepted: string[] = [];
  const cancelled: string[] = [];
  const history = new Map<string, unknown>();
  const looks = new Map<string, number>();
  const state = {
    size: { width: 64, height: 48 },
    nodeErrors: {},
    gone: new Set<string>(),
    isOld: false,
    declared: {},
  };
  // The graphs that have run, with their files: an identical graph is answered from the cache.
  const cache = new Map<string, string>();
  const files = new Map<string, string>();

  const submit = (request: Recorded): Reply => {
    const body = request.json();
    const graph = pick(body, 'prompt');
    if (graph === null || typeof graph !== 'object' || Object.keys(graph).length === 0)
      return comfyReplies.refused('no_prompt', 'No prompt provided');
    const id = pickText(body, 'prompt_id') ?? randomUUID();
    accepted.push(id);
    history.delete(id);
    const graphText = JSON.stringify(graph);
    const file = cache.get(graphText) ?? `${id}.png`;
    cache.set(graphText, file);
    files.set(id, file);
    return { body: { prompt_id: id, number: accepted.length, node_errors: emulated.nodeErrors } };
  };
  // Waiting, running, then in the history: the state advances with each request for the queue.
  const queue = (): Reply => {
    const open = accepted.filter((id) => !history.has(id));
    const running: unknown[] = [];
    for (const id of open) {
      const look = looks.get(id) ?? 0;
      looks.set(id, look + 1);
      if (look >= 1) history.set(id, comfyReplies.ended([files.get(id) ?? `${id}.png`]));
      else running.push([1, id, {}, {}, []]);
    }
    return { body: { queue_running: running, queue_pending: [] } };
  };
  const uploads = new Set<string>();
  const upload = async (request: Recorded): Promise<Reply> => {
    const form = await request.form();
    const image = form.get('image');
    if (image === null || typeof image === 'string') return { status: 400, body: '' };
    const taken = uploads.has(image.name) && form.get('overwrite') !== 'true';
    const name = taken ? image.name.replace(/(\.\w+)$/, ' (1)$1') : image.name;
    uploads.add(name);
    return { body: { name, subfolder: '', type: 'input' } };
  };
  const past = (match: RegExpMatchArray): Reply => {
    const id = match[1] ?? '';
    return { body: history.has(id) ? { [id]: history.get(id) } : {} };
  };
  const view = async (request: Recorded): Promise<Reply> =>
    emulated.gone.has(request.query.get('filename') ?? '')
      ? { status: 404, body: '' }
      : { body: await sampleImage(emulated.size) };
  const cancel = (match: RegExpMatchArray): Reply => {
    if (emulated.isOld) return { status: 405, body: '405: Method Not Allowed' };
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
    { method: 'GET', path: /^\/view$/, stage: 'view', handle: view },
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
      path: /^\/object_info\/(\w+)$/,
      stage: 'types',
      handle: (_request, match) => ({ body: declarationsOf(match[1] ?? '', emulated.declared) }),
    },
    {
      method: 'GET',
      path: /^\/system_stats$/,
      stage: 'stats',
      handle: () => ({ body: { system: { comfyui_version: '0.36.0' } } }),
    },
  ]);
  const emulated: ComfyUiEmulator = Object.assign(emulator, state, {
    accepted,
    cancelled,
    ends: (id: string, entry: unknown) => void history.set(id, entry),
  });
  return emulated;
}

/** Inputs as in `/object_info/CLASS`: options are a list, or `COMBO` in newer nodes. */
const declarations: Record<string, unknown> = {
  CheckpointLoaderSimple: { required: { ckpt_name: [['sd_xl_base.safetensors', 'v1-5.safetensors'], {}] } },
  UNETLoader: { required: { unet_name: ['COMBO', { options: ['flux1-dev.safetensors'] }] } },
  KSampler: {
    required: {
      seed: ['INT', { default: 0, min: 0, max: 18446744073709552000, control_after_generate: true }],
      steps: ['INT', { default: 20, min: 1, max: 10000 }],
      cfg: ['FLOAT', { default: 8, min: 0, max: 100, step: 0.1, round: 0.01 }],
      sampler_name: [['euler', 'dpmpp_2m'], { tooltip: 'The algorithm used when sampling.' }],
      scheduler: [['normal', 'karras'], {}],
      denoise: ['FLOAT', { default: 1, min: 0, max: 1, step: 0.01 }],
    },
  },
};

function declarationsOf(name: string, more: Record<string, unknown>): Record<string, unknown> {
  const input = { ...declarations, ...more }[name];
  return input === undefined ? {} : { [name]: { input, name, category: 'x' } };
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
