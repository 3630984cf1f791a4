/** Workflows as exported by ComfyUI's menu, in the form of its own templates. */
const node = (class_type: string, inputs: Record<string, unknown>, title = class_type) => ({
  inputs,
  class_type,
  _meta: { title },
});

const checkpoint = node('CheckpointLoaderSimple', { ckpt_name: 'v1-5.safetensors' }, 'Load Checkpoint');
const sampling = { steps: 20, cfg: 8, sampler_name: 'euler', scheduler: 'normal', denoise: 1 };

export const stableDiffusion = {
  '3': node('KSampler', {
    seed: 156680208700286,
    ...sampling,
    model: ['4', 0],
    positive: ['6', 0],
    negative: ['7', 0],
    latent_image: ['5', 0],
  }),
  '4': checkpoint,
  '5': node('EmptyLatentImage', { width: 512, height: 768, batch_size: 1 }),
  '6': node('CLIPTextEncode', { text: 'a bottle with a galaxy', clip: ['4', 1] }, 'Positive'),
  '7': node('CLIPTextEncode', { text: 'text, watermark', clip: ['4', 1] }, 'Negative'),
  '8': node('VAEDecode', { samples: ['3', 0], vae: ['4', 2] }),
  '9': node('SaveImage', { filename_prefix: 'ComfyUI', images: ['8', 0] }),
};

/** Base and refiner, each with its own encoders, and a LoRA. */
export const sdxlRefiner = {
  '4': node('CheckpointLoaderSimple', { ckpt_name: 'sd_xl_base.safetensors' }),
  '5': node('EmptyLatentImage', { width: 1024, height: 1024, batch_size: 1 }),
  '6': node('CLIPTextEncode', { text: 'evening sunset', clip: ['20', 1] }),
  '7': node('CLIPTextEncode', { text: 'text, watermark', clip: ['20', 1] }),
  '10': node('KSamplerAdvanced', {
    add_noise: 'enable',
    noise_seed: 721897303308196,
    steps: 25,
    cfg: 8,
    sampler_name: 'euler',
    scheduler: 'normal',
    start_at_step: 0,
    end_at_step: 20,
    return_with_leftover_noise: 'enable',
    model: ['20', 0],
    positive: ['6', 0],
    negative: ['7', 0],
    latent_image: ['5', 0],
  }),
  '11': node('KSamplerAdvanced', {
    add_noise: 'disable',
    noise_seed: 0,
    steps: 25,
    cfg: 8,
    sampler_name: 'euler',
    scheduler: 'normal',
    start_at_step: 20,
    end_at_step: 10000,
    return_with_leftover_noise: 'disable',
    model: ['12', 0],
    positive: ['15', 0],
    negative: ['16', 0],
    latent_image: ['10', 0],
  }),
  '12': node('CheckpointLoaderSimple', { ckpt_name: 'sd_xl_refiner.safetensors' }),
  '15': node('CLIPTextEncode', { text: 'evening sunset', clip: ['12', 1] }),
  '16': node('CLIPTextEncode', { text: 'text, watermark', clip: ['12', 1] }),
  '17': node('VAEDecode', { samples: ['11', 0], vae: ['12', 2] }),
  '19': node('SaveImage', { filename_prefix: 'ComfyUI', images: ['17', 0] }),
  '20': node('LoraLoader', {
    lora_name: 'ink.safetensors',
    strength_model: 0.8,
    strength_clip: 0.8,
    model: ['4', 0],
    clip: ['4', 1],
  }),
};

/** A separate guider, noise and sigmas; the size is in primitives that two nodes use. */
export const fluxDev = {
  '6': node('CLIPTextEncode', { text: 'cute anime girl', clip: ['11', 0] }),
  '8': node('VAEDecode', { samples: ['13', 0], vae: ['10', 0] }),
  '9': node('SaveImage', { filename_prefix: 'flux', images: ['8', 0] }),
  '10': node('VAELoader', { vae_name: 'ae.safetensors' }),
  '11': node('DualCLIPLoader', {
    clip_name1: 't5xxl_fp16.safetensors',
    clip_name2: 'clip_l.safetensors',
    type: 'flux',
  }),
  '12': node('UNETLoader', { unet_name: 'flux1-dev.safetensors', weight_dtype: 'default' }),
  '13': node('SamplerCustomAdvanced', {
    noise: ['25', 0],
    guider: ['22', 0],
    sampler: ['16', 0],
    sigmas: ['17', 0],
    latent_image: ['27', 0],
  }),
  '16': node('KSamplerSelect', { sampler_name: 'euler' }),
  '17': node('BasicScheduler', { scheduler: 'simple', steps: 20, denoise: 1, model: ['30', 0] }),
  '22': node('BasicGuider', { model: ['30', 0], conditioning: ['26', 0] }),
  '25': node('RandomNoise', { noise_seed: 219670278747233 }),
  '26': node('FluxGuidance', { guidance: 3.5, conditioning: ['6', 0] }),
  '27': node('EmptySD3LatentImage', { width: ['34', 0], height: ['35', 0], batch_size: 1 }),
  '30': node('ModelSamplingFlux', {
    max_shift: 1.15,
    base_shift: 0.5,
    width: ['34', 0],
    height: ['35', 0],
    model: ['12', 0],
  }),
  '34': node('PrimitiveInt', { value: 1024 }, 'Width'),
  '35': node('PrimitiveInt', { value: 1024 }, 'Height'),
};

export const qwenImage = {
  '3': node('KSampler', {
    seed: 1,
    steps: 20,
    cfg: 2.5,
    sampler_name: 'euler',
    scheduler: 'simple',
    denoise: 1,
    model: ['66', 0],
    positive: ['6', 0],
    negative: ['7', 0],
    latent_image: ['58', 0],
  }),
  '6': node('CLIPTextEncode', { text: '“A neon sign”', clip: ['38', 0] }),
  '7': node('CLIPTextEncode', { text: '', clip: ['38', 0] }),
  '8': node('VAEDecode', { samples: ['3', 0], vae: ['39', 0] }),
  '37': node('UNETLoader', { unet_name: 'qwen_image_fp8.safetensors', weight_dtype: 'default' }),
  '38': node('CLIPLoader', {
    clip_name: 'qwen_2.5_vl_7b.safetensors',
    type: 'qwen_image',
    device: 'default',
  }),
  '39': node('VAELoader', { vae_name: 'qwen_image_vae.safetensors' }),
  '58': node('EmptySD3LatentImage', { width: 1328, height: 1328, batch_size: 1 }),
  '60': node('SaveImage', { filename_prefix: 'ComfyUI', images: ['8', 0] }),
  '66': node('ModelSamplingAuraFlow', { shift: 3.1, model: ['37', 0] }),
};

/** A group of nodes, whose ids contain a colon; three inputs; the size is that of the first input. */
export const qwenImageEdit = {
  '78': node('LoadImage', { image: 'first.png' }),
  '106': node('LoadImage', { image: 'second.png' }),
  '108': node('LoadImage', { image: 'third.png' }),
  '60': node('SaveImage', { filename_prefix: 'ComfyUI', images: ['433:8', 0] }),
  '433:3': node('KSampler', {
    seed: 42,
    steps: 4,
    cfg: 1,
    sampler_name: 'euler',
    scheduler: 'simple',
    denoise: 1,
    model: ['433:89', 0],
    positive: ['433:111', 0],
    negative: ['433:110', 0],
    latent_image: ['433:88', 0],
  }),
  '433:8': node('VAEDecode', { samples: ['433:3', 0], vae: ['433:39', 0] }),
  '433:37': node('UNETLoader', { unet_name: 'qwen_image_edit.safetensors', weight_dtype: 'default' }),
  '433:38': node('CLIPLoader', { clip_name: 'qwen_2.5_vl_7b.safetensors', type: 'qwen_image' }),
  '433:39': node('VAELoader', { vae_name: 'qwen_image_vae.safetensors' }),
  '433:88': node('VAEEncode', { pixels: ['433:117', 0], vae: ['433:39', 0] }),
  '433:89': node('LoraLoaderModelOnly', {
    lora_name: 'lightning.safetensors',
    strength_model: 1,
    model: ['433:37', 0],
  }),
  '433:110': node('TextEncodeQwenImageEditPlus', {
    prompt: '',
    clip: ['433:38', 0],
    vae: ['433:39', 0],
    image1: ['433:117', 0],
    image2: ['106', 0],
    image3: ['108', 0],
  }),
  '433:111': node('TextEncodeQwenImageEditPlus', {
    prompt: 'put the chair into the room',
    clip: ['433:38', 0],
    vae: ['433:39', 0],
    image1: ['433:117', 0],
    image2: ['106', 0],
    image3: ['108', 0],
  }),
  '433:117': node('FluxKontextImageScale', { image: ['78', 0] }),
};

export const imageToImage = {
  ...stableDiffusion,
  '3': node('KSampler', { ...stableDiffusion['3'].inputs, denoise: 0.87, latent_image: ['12', 0] }),
  '10': node('LoadImage', { image: 'example.png' }),
  '12': node('VAEEncode', { pixels: ['10', 0], vae: ['4', 2] }),
};

/** Two stitched inputs, an empty negative prompt made from the positive one, and a preview image on the way. */
export const kontext = {
  '8': node('VAEDecode', { samples: ['31', 0], vae: ['39', 0] }),
  '31': node('KSampler', {
    seed: 884960007,
    steps: 20,
    cfg: 1,
    sampler_name: 'euler',
    scheduler: 'simple',
    denoise: 1,
    model: ['37', 0],
    positive: ['35', 0],
    negative: ['135', 0],
    latent_image: ['188', 0],
  }),
  '35': node('FluxGuidance', { guidance: 2.5, conditioning: ['177', 0] }),
  '37': node('UNETLoader', { unet_name: 'flux1-dev-kontext.safetensors', weight_dtype: 'default' }),
  '38': node('DualCLIPLoader', {
    clip_name1: 'clip_l.safetensors',
    clip_name2: 't5xxl.safetensors',
    type: 'flux',
  }),
  '39': node('VAELoader', { vae_name: 'ae.safetensors' }),
  '42': node('FluxKontextImageScale', { image: ['146', 0] }),
  '124': node('VAEEncode', { pixels: ['42', 0], vae: ['39', 0] }),
  '135': node('ConditioningZeroOut', { conditioning: ['6', 0] }),
  '136': node('SaveImage', { filename_prefix: 'ComfyUI', images: ['8', 0] }),
  '142': node('LoadImage', { image: 'one.png' }),
  '146': node('ImageStitch', {
    direction: 'right',
    match_image_size: true,
    image1: ['142', 0],
    image2: ['147', 0],
  }),
  '147': node('LoadImage', { image: 'two.png' }),
  '173': node('PreviewImage', { images: ['42', 0] }),
  '177': node('ReferenceLatent', { conditioning: ['6', 0], latent: ['124', 0] }),
  '188': node('EmptySD3LatentImage', { width: 1024, height: 768, batch_size: 1 }),
  '6': node('CLIPTextEncode', { text: ['200', 0], clip: ['38', 0] }),
  '200': node('PrimitiveStringMultiline', { value: 'the two animals in one room' }, 'Prompt'),
};
