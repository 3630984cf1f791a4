import { assertMayUse } from '../../accounts/authenticate.ts';
import type { ApiKey } from '../../accounts/key-store.ts';
import { assertFits } from '../../jobs/admission/assert-fits.ts';
import { cleanText } from '../../jobs/admission/clean-text.ts';
import type { BatchedRequest } from '../../jobs/admission/create-batch.ts';
import { judgeUrls, type UrlChecks } from '../../jobs/admission/judge-urls.ts';
import { type Job, noOptions } from '../../jobs/job.ts';
import {
  defaultResolution,
  type Model,
  maxPromptLength,
  type ParameterValue,
  type RequestedRatio,
} from '../../upstream/catalog/models.ts';
import { withDefaults } from '../../upstream/catalog/parameters.ts';
import { wrongField } from './door-errors.ts';

export interface AskedImages {
  model: Model;
  prompt: string;
  ratio: RequestedRatio;
  /** Undefined for the model's default. */
  resolution: string | undefined;
  parameters: Readonly<Record<string, ParameterValue>>;
  metadata: Job['metadata'];
  output: Job['output'];
  mask?: BatchedRequest['mask'];
  inputs: readonly string[];
}

/** Returns the request in the form of our own API. @throws AppError `invalid_request`, `model_forbidden` */
export function checkImages(deps: UrlChecks, key: ApiKey, asked: AskedImages): BatchedRequest {
  const { model, inputs, parameters, resolution, ratio } = asked;
  assertMayUse(key, model.id);
  const prompt = cleanText(asked.prompt);
  assertPrompt(prompt);
  assertFits(model, { aspectRatio: ratio, resolution, inputs: inputs.length, parameters });
  const [mistake] = judgeUrls({ input_images_urls: inputs, mask_url: asked.mask?.url }, deps);
  if (mistake) throw mistake;
  return {
    model,
    mode: inputs.length > 0 ? 'url' : 'text',
    prompt,
    aspectRatio: ratio,
    resolution: resolution ?? defaultResolution(model),
    parameters: withDefaults(model, parameters),
    ...noOptions,
    metadata: asked.metadata,
    output: asked.output,
    mask: asked.mask ?? null,
    inputUrls: inputs,
  };
}

function assertPrompt(prompt: string): void {
  if (prompt === '') throw wrongField('/prompt', 'The prompt must not be empty.');
  if (prompt.length > maxPromptLength)
    throw wrongField('/prompt', `The prompt must have at most ${maxPromptLength} characters.`);
}
