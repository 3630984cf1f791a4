import type { Guard } from '../../../base/guard/guard.ts';
import { jsonBody } from '../body.ts';
import { failure } from '../failure.ts';
import { healthOf } from '../health.ts';
import { pickText } from '../pick.ts';
import { pickImage } from '../pick-image.ts';
import type { Health, Provider } from '../provider.ts';
import { bedrockCapabilities, familyOf } from './families.ts';
import { findModel } from './find-model.ts';
import { bedrockRefusal } from './refusal.ts';
import { bedrockTakes, toBedrockRequest } from './request.ts';
import type { BedrockCredentials, BedrockSettings } from './settings.ts';
import { createSignedCalls } from './signed-calls.ts';

export function createBedrock(
  settings: BedrockSettings,
  credentials: BedrockCredentials,
  guard: Guard,
): Provider {
  const { upstream, invoke, list } = createSignedCalls(settings, credentials, guard);
  const { model } = settings;

  return {
    id: 'bedrock',
    model,
    capabilities: bedrockCapabilities(settings),
    takesField: bedrockTakes(familyOf(settings)),

    async generate(request, { signal }) {
      const body = jsonBody(await toBedrockRequest(settings, request));
      const answer = await invoke(model, body, signal);
      if (!answer.ok) throw bedrockRefusal(upstream, answer);
      return { bytes: readImage(answer.json()) };
    },

    async check(signal) {
      let found: Health | undefined;
      const health = await healthOf(async () => {
        found = findModel(upstream, await list(signal), model);
      });
      return found ?? health;
    },

    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}

/** Without an image, Stability AI's models give the reason in `finish_reasons`, and Nova Canvas in `error`. */
function readImage(body: unknown): Uint8Array {
  const reason = pickText(body, 'finish_reasons', 0);
  if (reason) throw failure(/^filter/i.test(reason) ? 'safety_blocked' : 'bad_response', { detail: reason });
  const image = pickImage(body, 'images', 0);
  if (image) return image;
  const error = pickText(body, 'error');
  const isBlocked = error && /filter|policy|responsible/i.test(error);
  throw failure(isBlocked ? 'safety_blocked' : 'no_image', { detail: error ?? 'no image in images[0]' });
}
