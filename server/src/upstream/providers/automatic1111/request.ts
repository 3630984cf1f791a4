import { Base64Image } from '../body.ts';
import { whiteMask } from '../fit-input.ts';
import { cleanWords, withoutNetworks, withoutServerArguments } from '../prompt-syntax.ts';
import type { ImageRequest } from '../provider.ts';
import { setFields, takesAllBut } from '../set-fields.ts';
import type { Automatic1111Settings } from './settings.ts';

/** Names the request's task, so that an interrupt stops no other request. */
export function taskIdOf(request: ImageRequest): string {
  return `task(${request.jobId})`;
}

export function automatic1111Takes({ model }: Automatic1111Settings): (path: string) => boolean {
  return takesAllBut([
    'prompt',
    'width',
    'height',
    'batch_size',
    'n_iter',
    'send_images',
    'save_images',
    'force_task_id',
    'init_images',
    'resize_mode',
    'include_init_images',
    'mask',
    'inpainting_mask_invert',
    ...(model === undefined ? [] : ['override_settings.sd_model_checkpoint']),
  ]);
}

export async function toAutomatic1111Request(settings: Automatic1111Settings, request: ImageRequest) {
  const [input] = request.inputs;
  const clean = (prompt: string) => {
    // stable-diffusion.cpp serves this protocol too, and reads arguments from prompts.
    const words = withoutServerArguments(prompt);
    return settings.promptNetworks ? words : withoutNetworks(words);
  };
  const fields = cleanWords(request.fields, clean);
  const body = {
    ...sampling(settings),
    // Forge fails without this list, which its own page always sends. Other servers ignore it.
    ...(settings.extra?.enable_hr === true ? { hr_additional_modules: [] } : {}),
    ...settings.extra,
    prompt: clean(request.prompt),
    ...sizeOf(settings, request),
    seed: -1,
    batch_size: 1,
    n_iter: 1,
    send_images: true,
    save_images: false,
    force_task_id: taskIdOf(request),
  };
  if (!input) return { path: '/sdapi/v1/txt2img', body: setFields(body, fields) };
  // Mode 1 crops and resizes. The default would stretch the image.
  const from = { init_images: [new Base64Image(input, 'plain')], resize_mode: 1, include_init_images: false };
  const strength = settings.denoisingStrength ?? 0.75;
  const mask = request.options?.mask && {
    mask: new Base64Image(await whiteMask(request.options.mask), 'plain'),
    // The white areas of the mask change. They start from the input image, and are drawn at the whole image's
    // resolution.
    ...{ inpainting_mask_invert: 0, inpainting_fill: 1, inpaint_full_res: false },
  };
  const image = { ...body, ...from, ...mask, denoising_strength: strength };
  return { path: '/sdapi/v1/img2img', body: setFields(image, fields) };
}

const step = 8;

/** The promised pixels, or fewer for checkpoints that draw well only at their training size. */
function sizeOf({ longestSide }: Automatic1111Settings, { width, height }: ImageRequest) {
  const scale = Math.min(1, (longestSide ?? Number.POSITIVE_INFINITY) / Math.max(width, height));
  if (scale === 1) return { width, height };
  const scaled = (side: number) => Math.max(step, Math.round((side * scale) / step) * step);
  return { width: scaled(width), height: scaled(height) };
}

function sampling(settings: Automatic1111Settings): Record<string, unknown> {
  const { model, negativePrompt, steps, cfgScale, sampler, scheduler } = settings;
  // Leaves the checkpoint loaded, because restoring the previous one would load two models for every image.
  const checkpoint = {
    override_settings: { sd_model_checkpoint: model },
    override_settings_restore_afterwards: false,
  };
  return {
    ...(model === undefined ? {} : checkpoint),
    ...(negativePrompt === undefined ? {} : { negative_prompt: negativePrompt }),
    ...(steps === undefined ? {} : { steps }),
    ...(cfgScale === undefined ? {} : { cfg_scale: cfgScale }),
    ...(sampler === undefined ? {} : { sampler_name: sampler }),
    ...(scheduler === undefined ? {} : { scheduler }),
  };
}
