import type { Guard } from '../../../base/guard/guard.ts';
import { allRatios } from '../../catalog/models.ts';
import { parseBaseUrl, type ServerLogin } from '../base-url.ts';
import { jsonBody } from '../body.ts';
import { failure } from '../failure.ts';
import { healthOf } from '../health.ts';
import { pick } from '../pick.ts';
import { pickImage } from '../pick-image.ts';
import { type Capabilities, type Provider, ProviderError } from '../provider.ts';
import { createUpstream } from '../upstream.ts';
import { findMissing } from './lists.ts';
import { createRefusals } from './refusal.ts';
import { automatic1111Takes, taskIdOf, toAutomatic1111Request } from './request.ts';
import type { Automatic1111Settings } from './settings.ts';

/** A short time, because a failed interrupt only wastes work of the graphics card. */
const interruptTimeoutMs = 5000;

/** The `/sdapi/v1` API of AUTOMATIC1111, Forge and SD.Next, where one call lasts as long as the image takes. */
export function createAutomatic1111(
  settings: Automatic1111Settings,
  login: ServerLogin,
  guard: Guard,
): Provider {
  const base = parseBaseUrl(settings.baseUrl, login);
  const headers = { authorization: base.authorization };
  const upstream = createUpstream(guard, base.secrets);
  const refusalOf = createRefusals(upstream);

  async function list(path: string, signal: AbortSignal): Promise<unknown> {
    const answer = await upstream.call({ url: `${base.href}/sdapi/v1/${path}`, headers, signal });
    if (!answer.ok) throw refusalOf(answer);
    return answer.json();
  }

  /** Interrupts the server, which would continue after its client disconnects. Stops only our own task. */
  async function interrupt(taskId: string): Promise<void> {
    const signal = AbortSignal.timeout(interruptTimeoutMs);
    const post = (path: string, value: unknown) =>
      upstream.call({ method: 'POST', url: base.href + path, headers, body: jsonBody(value), signal });
    const progress = await post('/internal/progress', { id_task: taskId, live_preview: false });
    if (progress.ok && pick(progress.json(), 'active') === true) await post('/sdapi/v1/interrupt', {});
  }

  return {
    id: 'automatic1111',
    model: settings.model ?? 'loaded checkpoint',
    capabilities: automatic1111Capabilities(settings),
    takesField: automatic1111Takes(settings),

    async generate(request, { signal }) {
      const { path, body } = await toAutomatic1111Request(settings, request);
      try {
        const call = {
          method: 'POST',
          url: base.href + path,
          headers,
          body: jsonBody(body),
          signal,
        } as const;
        const answer = await upstream.call(call);
        if (!answer.ok) throw refusalOf(answer);
        const image = pickImage(answer.json(), 'images', 0);
        // These servers have no filter, so the prompt is not the cause.
        if (!image) throw failure('bad_response', { detail: 'an answer without images' });
        return { bytes: image };
      } catch (error) {
        const left = signal.aborted && error instanceof ProviderError && error.sent;
        if (left) await interrupt(taskIdOf(request)).catch(() => undefined);
        throw error;
      }
    },

    check: (signal) => healthOf(() => findMissing(settings, (path) => list(path, signal))),

    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}

export function automatic1111Capabilities(settings: Omit<Automatic1111Settings, 'baseUrl'>): Capabilities {
  return {
    ratios: settings.ratios ?? allRatios,
    resolutions: settings.resolutions ?? ['1K'],
    anySize: true,
    // At most one input, because the server would draw several init_images as a batch.
    maxInputs: Math.min(settings.maxInputs ?? 1, 1),
    resumable: false,
    options: ['mask'],
  };
}
