import { pickList, pickText } from '../../src/upstream/providers/pick.ts';
import { type Emulator, type Recorded, type Reply, startEmulator } from './emulator.ts';
import { sampleImage } from './sample-image.ts';

export const automatic1111Login = { user: 'darkroom', password: 'emulated-password' };

interface Automatic1111Emulator extends Emulator {
  size: { width: number; height: number };
}

/** `/sdapi/v1` behind `--api-auth`. Stages: `generate`, `models`, `samplers`, `schedulers`, `progress`, `interrupt`. */
export async function startAutomatic1111(): Promise<Automatic1111Emulator> {
  const size = { width: 64, height: 48 };
  const { user, password } = automatic1111Login;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const guarded = (handle: (request: Recorded) => Reply | Promise<Reply>) => (request: Recorded) =>
    request.headers.authorization === authorization
      ? handle(request)
      : { status: 401, body: { detail: 'Incorrect username or password' } };
  const generate = async (request: Recorded): Promise<Reply> => {
    const body = request.json();
    const first = pickList(body, 'init_images')[0];
    if (request.path.endsWith('img2img') && typeof first !== 'string')
      return automatic1111Replies.error(404, 'HTTPException', 'Init image not found');
    const bytes = await sampleImage(size);
    const info = JSON.stringify({ seed: 1, prompt: pickText(body, 'prompt') });
    return { body: { images: [bytes.toString('base64')], parameters: {}, info } };
  };
  const emulator = await startEmulator([
    {
      method: 'POST',
      path: /^\/sdapi\/v1\/(txt2img|img2img)$/,
      stage: 'generate',
      handle: guarded(generate),
    },
    {
      method: 'GET',
      path: /^\/sdapi\/v1\/sd-models$/,
      stage: 'models',
      handle: guarded(() => ({
        body: [
          {
            title: 'sdxl.safetensors [31e35c80fc]',
            model_name: 'sdxl',
            filename: '/models/sdxl.safetensors',
          },
        ],
      })),
    },
    {
      method: 'GET',
      path: /^\/sdapi\/v1\/samplers$/,
      stage: 'samplers',
      handle: guarded(() => ({ body: [{ name: 'Euler', aliases: ['k_euler'], options: {} }] })),
    },
    {
      method: 'GET',
      path: /^\/sdapi\/v1\/schedulers$/,
      stage: 'schedulers',
      handle: guarded(() => ({ body: [{ name: 'karras', label: 'Karras', aliases: null }] })),
    },
    {
      method: 'POST',
      path: /^\/internal\/progress$/,
      stage: 'progress',
      handle: guarded(() => ({ body: { active: true, queued: false, completed: false } })),
    },
    {
      method: 'POST',
      path: /^\/sdapi\/v1\/interrupt$/,
      stage: 'interrupt',
      handle: guarded(() => ({ body: {} })),
    },
  ]);
  return Object.assign(emulator, { size });
}

export const automatic1111Replies = {
  error: (status: number, error: string, detail: string): Reply => ({
    status,
    body: { error, detail, body: '', errors: '' },
  }),
};
