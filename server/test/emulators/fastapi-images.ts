import { type Emulator, type Recorded, type Reply, startEmulator } from './emulator.ts';
import { drawn, openAiReplies } from './openai.ts';

const { detail } = openAiReplies;

const mistake = (field: string, type: string, msg: string) => [
  { type, loc: ['body', field], msg, input: null },
];

/**
 * vLLM-Omni with an image model, as `vllm_omni/entrypoints/openai/api_server.py` (0.30) answers: it requires the exact
 * model name, edits take as many images as the model does, and all errors are FastAPI's. Stages: `generate`, `models`.
 */
export function startVllmOmni(model = 'Qwen/Qwen-Image-Edit-2511', maxImages = 4): Promise<Emulator> {
  return startImages({ id: model, owned_by: 'vllm' }, ({ asked, images }) => {
    if (asked.model !== undefined && asked.model !== model)
      return detail(
        400,
        `Model mismatch: request specifies '${asked.model}' but server is running '${model}'.`,
      );
    if (asked.response_format !== undefined && asked.response_format !== 'b64_json')
      return detail(400, "Only response_format 'b64_json' is supported now.");
    if (images > maxImages)
      return detail(
        400,
        `Received ${images} input images. At most ${maxImages} images are supported by this model.`,
      );
    return undefined;
  });
}

/**
 * SGLang-diffusion, as in `python/sglang/multimodal_gen/runtime/entrypoints/openai/image_api.py`: its only model
 * answers to any name, and all errors are FastAPI's. Stages: `generate`, `models`.
 */
export function startSglang(model = 'black-forest-labs/FLUX.2-dev'): Promise<Emulator> {
  return startImages({ id: model, owned_by: 'sglang' }, ({ asked }) => {
    const format = asked.response_format ?? 'b64_json';
    if (format === 'url')
      return detail(400, "response_format='url' requires cloud storage to be configured.");
    return format === 'b64_json' ? undefined : detail(400, `response_format=${format} is not supported`);
  });
}

interface Asked {
  asked: Record<string, string | undefined>;
  images: number;
}

function startImages(
  model: { id: string; owned_by: string },
  refuse: (asked: Asked) => Reply | undefined,
): Promise<Emulator> {
  const generate = async (request: Recorded): Promise<Reply> => {
    const read = await readRequest(request);
    if (read.asked.prompt === undefined) return detail(422, mistake('prompt', 'missing', 'Field required'));
    const [, width = '0', height = '0'] = read.asked.size?.match(/^(\d+)x(\d+)$/) ?? [];
    if (read.asked.size !== undefined && (Number(width) < 1 || Number(height) < 1))
      return detail(400, `Invalid size format: '${read.asked.size}'. Expected format: 'WIDTHxHEIGHT'.`);
    return refuse(read) ?? drawn(request);
  };
  return startEmulator([
    { method: 'POST', path: /^\/v1\/images\/(generations|edits)$/, stage: 'generate', handle: generate },
    {
      method: 'GET',
      path: /^\/v1\/models$/,
      stage: 'models',
      handle: () => ({ body: { object: 'list', data: [{ ...model, object: 'model' }] } }),
    },
  ]);
}

async function readRequest(request: Recorded): Promise<Asked> {
  if (!request.headers['content-type']?.startsWith('multipart/')) {
    const body = Object(request.json());
    return { asked: body, images: 0 };
  }
  const form = await request.form();
  const texts = [...form.entries()].filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return {
    asked: Object.fromEntries(texts),
    images: form.getAll('image').length + form.getAll('image[]').length,
  };
}
