import { Base64Image } from '../body.ts';
import { withoutNetworks, withoutServerArguments } from '../prompt-syntax.ts';
import type { ImageRequest } from '../provider.ts';
import type { Automatic1111Settings } from './settings.ts';

/** Names the request, so that it can be told from others' when it is to be interrupted. */
export function taskIdOf(request: ImageRequest): string {
  return `task(${request.jobId})`;
}

export function toAutomatic1111Request(settings: Automatic1111Settings, request: ImageRequest) {
  const [input] = request.inputs;
  // stable-diffusion.cpp speaks this protocol too.
  const words = withoutServerArguments(request.prompt);
  const body = {
    ...sampling(settings),
    ...settings.extra,
    prompt: settings.promptNetworks ? words : withoutNetworks(words),
    width: request.width,
    height: request.height,
    seed: -1,
    batch_size: 1,
    n_iter: 1,
    send_images: true,
    save_images: false,
    force_task_id: taskIdOf(request),
  };
  if (!input) return { path: '/sdapi/v1/txt2img', body };
  // Crop and resize: the default stretches.
  const from = { init_images: [new Base64Image(input, 'plain')], resize_mode: 1, include_init_images: false };
  const strength = settings.denoisingStrength ?? 0.75;
  return { path: '/sdapi/v1/img2img', body: { ...body, ...from, denoising_strength: strength } };
}

function sampling(settings: Automatic1111Settings): Record<string, unknown> {
  const { model, negativePrompt, steps, cfgScale, sampler, scheduler } = settings;
  // Going back to the checkpoint from before would load two for every image.
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
