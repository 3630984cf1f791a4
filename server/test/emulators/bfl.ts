import { randomUUID } from 'node:crypto';
import Type, { type TObject, type TProperties } from 'typebox';
import Value from 'typebox/value';
import { type Emulator, type Recorded, type Reply, startEmulator } from './emulator.ts';
import { sampleImage } from './sample-image.ts';

export const bflKey = 'emulated-bfl-key';

interface BflEmulator extends Emulator {
  /** The ids of all tasks that were accepted, and thus paid for. */
  accepted: string[];
  size: { width: number; height: number };
  credits: number;
}

/**
 * The API of Black Forest Labs, its regional hosts and its file host. Stages: `submit`, `status`, `credits`, `file`.
 * A task is found only under the address that its submission returned.
 */
export async function startBfl(): Promise<BflEmulator> {
  const accepted: string[] = [];
  const looks = new Map<string, number>();
  const state = { accepted, size: { width: 64, height: 48 }, credits: 100 };
  const submit = (request: Recorded, model = ''): Reply => {
    const schema = models[model];
    if (!schema) return bflReplies.detail(404, 'Not Found');
    const [mistake] = Value.Errors(schema, request.json());
    if (mistake) return bflReplies.invalid(mistake.instancePath, mistake.message);
    const id = randomUUID();
    accepted.push(id);
    const address = `${emulator.url}/region/v1/get_result?id=${id}`;
    return { body: { id, polling_url: address, cost: 3, input_mp: 0, output_mp: 1 } };
  };
  const status = (id: string): Reply => {
    if (!accepted.includes(id)) return bflReplies.task(id, 'Task not found');
    const look = looks.get(id) ?? 0;
    looks.set(id, look + 1);
    const state = underWay[look];
    if (state) return bflReplies.task(id, state, { progress: look / underWay.length });
    const sample = `${emulator.url}/delivery/${id}/sample.png?se=soon&sig=x`;
    return bflReplies.task(id, 'Ready', { result: { sample, seed: 7, prompt: 'a red fox' } });
  };
  const keyed = (request: Recorded, reply: () => Reply): Reply =>
    request.headers['x-key'] === bflKey ? reply() : bflReplies.detail(403, 'Not authenticated');
  const emulator = await startEmulator([
    {
      method: 'GET',
      path: /^\/v1\/credits$/,
      stage: 'credits',
      handle: (r) => keyed(r, () => ({ body: { credits: emulated.credits } })),
    },
    {
      method: 'GET',
      path: /^\/region\/v1\/get_result$/,
      stage: 'status',
      handle: (r) => keyed(r, () => status(r.query.get('id') ?? '')),
    },
    {
      method: 'GET',
      path: /^\/delivery\//,
      stage: 'file',
      handle: async () => ({ body: await sampleImage(emulated.size) }),
    },
    {
      method: 'POST',
      path: /^\/v1\/([\w.-]+)$/,
      stage: 'submit',
      handle: (r, m) => keyed(r, () => submit(r, m[1])),
    },
  ]);
  const emulated: BflEmulator = Object.assign(emulator, state);
  return emulated;
}

/** The states of a task of FLUX 3; older models skip the second and third. */
const underWay = ['Pending', 'Reasoning', 'Generating'];

/** Shapes of https://api.bfl.ai/openapi.json: `ResultResponse`, `HTTPValidationError`, and plain errors. */
export const bflReplies = {
  task: (id: string, status: string, more: object = {}): Reply => ({
    body: { id, status, result: null, progress: null, details: null, preview: null, ...more },
  }),
  invalid: (path: string, msg: string): Reply => ({
    status: 422,
    body: { detail: [{ loc: ['body', ...path.split('/').slice(1)], msg, type: 'value_error' }] },
  }),
  detail: (status: number, detail: string, headers: Record<string, string> = {}): Reply => ({
    status,
    headers,
    body: { detail },
  }),
};

const sides = Type.Optional(Type.Integer({ minimum: 64 }));
const oldSides = Type.Optional(Type.Integer({ minimum: 256, maximum: 1440, multipleOf: 32 }));
const ratio = Type.Optional(Type.String({ pattern: '^\\d+:\\d+$' }));
// Stricter than the API, which ignores fields that a model does not have.
const inputsOf = (properties: TProperties) =>
  Type.Object(
    {
      prompt: Type.String(),
      seed: Type.Optional(Type.Integer()),
      output_format: Type.Optional(Type.Enum(['jpeg', 'png', 'webp'])),
      safety_tolerance: Type.Optional(Type.Integer({ minimum: 0, maximum: 6 })),
      ...properties,
    },
    { additionalProperties: false },
  );
const images = (count: number): TProperties => {
  const names = Array.from({ length: count }, (_, n) => (n === 0 ? 'input_image' : `input_image_${n + 1}`));
  return Object.fromEntries(names.map((name) => [name, Type.Optional(Type.String())]));
};
const imagePrompt = Type.Optional(Type.String());
const flux2 = inputsOf({ width: sides, height: sides, ...images(8) });
const klein = inputsOf({ width: sides, height: sides, ...images(4) });
const kontext = inputsOf({ aspect_ratio: ratio, ...images(4) });

/** `ImageInputs` of https://docs.bfl.ai/flux_3/flux3_image_overview, which refuses unknown fields. */
const flux3 = Type.Object(
  {
    prompt: Type.String(),
    images: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 10 })),
    aspect_ratio: ratio,
    resolution: Type.Optional(Type.Enum(['768sq', '1k', '1.5k', '2k', '4k'])),
    grounding: Type.Optional(Type.Boolean()),
    safety_tolerance: Type.Optional(Type.Integer({ minimum: 0, maximum: 4 })),
    version: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

/** `Flux2Inputs`, `FluxKontextProInputs` and others, with the fields we use. */
const models: Record<string, TObject> = {
  'flux-3-image': flux3,
  'flux-2-pro': flux2,
  'flux-2-max': flux2,
  'flux-2-klein-9b': klein,
  'flux-pro-1.0-fill': inputsOf({ image: Type.String(), mask: Type.Optional(Type.String()) }),
  'flux-kontext-pro': kontext,
  'flux-kontext-max': kontext,
  'flux-pro-1.1': inputsOf({ width: oldSides, height: oldSides, image_prompt: imagePrompt }),
  'flux-dev': inputsOf({ width: oldSides, height: oldSides, image_prompt: imagePrompt }),
  'flux-pro-1.1-ultra': inputsOf({ aspect_ratio: ratio, image_prompt: imagePrompt }),
};
