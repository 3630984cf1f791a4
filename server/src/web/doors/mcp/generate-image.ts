import type { PriceOf } from '../../../accounts/price-groups/price-group.ts';
import { invalidField } from '../../../errors.ts';
import { outputMistake, readOutput } from '../../../images/output.ts';
import { fingerprintOf } from '../../../jobs/admission/fingerprint.ts';
import { formatMicros } from '../../../money/ledger/money.ts';
import type { Model } from '../../../upstream/catalog/models.ts';
import type { DoorDeps } from '../door-deps.ts';
import { startImages } from '../start-images.ts';
import { meantBy } from '../take-images.ts';
import { chooseRequest } from './choose-request.ts';
import { argumentsOf, checkedArguments, type GenerateArguments, modelsOf } from './generate-arguments.ts';
import { linkImage } from './link-image.ts';
import { clientRequestOf } from './note-cancelled.ts';
import { imageSchema, presentImage } from './present-image.ts';
import type { Tool } from './tool.ts';
import { maxToolWaitMs, waitAndReport } from './wait-and-report.ts';

const longestWait = maxToolWaitMs / 1000;

export function generateImage(deps: DoorDeps): Tool {
  return {
    name: 'generate_image',
    define: (key) => ({
      title: 'Generate an image',
      description: describe(modelsOf(deps, key), deps.prices.of(key.accountId), deps.currency),
      inputSchema: argumentsOf(modelsOf(deps, key)) as { type: 'object' },
      outputSchema: imageSchema as { type: 'object' },
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    }),
    async run(call) {
      call.check(checkedArguments(deps.catalogue.list()), call.arguments);
      const asked = call.arguments as GenerateArguments; // the schema has checked it
      const { key } = call;
      const chosen = chooseRequest(
        asked,
        modelsOf(deps, key),
        deps.catalogue.find,
        deps.prices.of(key.accountId),
      );
      const { images = [], prompt, wait_seconds: wait = longestWait } = asked;
      const mistake = outputMistake(asked);
      if (mistake) throw invalidField(`/${mistake.field}`, mistake.detail);
      const output = readOutput(asked);
      const link = (image: string, pointer: string) => linkImage(deps, key.accountId, image, pointer);
      const inputs = await Promise.all(images.map((image, index) => link(image, `/images/${index}`)));
      const mask = asked.mask === undefined ? null : await link(asked.mask, '/mask');
      const meant = inputs.map((url) => meantBy(deps, url));
      const { ratio, resolution } = chosen;
      const wish = {
        ratio,
        resolution,
        prompt,
        images: meant,
        ...(mask && { mask: meantBy(deps, mask) }),
        ...(output && { output }),
      };
      const { jobIds, answer } = await startImages(deps, {
        reply: call.reply,
        ignored: [],
        ...chosen,
        prompt,
        parameters: {},
        metadata: null,
        output,
        mask: mask === null ? null : { url: mask, changed: 'white' },
        inputs,
        count: 1,
        fingerprint: fingerprintOf('POST', `mcp ${chosen.model.id}`, wish),
        idempotencyKey: null,
        clientRequest: clientRequestOf(call.reply.request, call.id),
        signal: () => call.signal,
      });
      call.named();
      const [jobId = ''] = jobIds;
      try {
        return await presentImage(deps, await waitAndReport(deps, call, { jobId, waitMs: wait * 1000 }));
      } catch (error) {
        answer?.failed(error);
        throw error;
      }
    },
  };
}

function describe(models: readonly Model[], priceOf: PriceOf, currency: string): string {
  return [
    'Makes one image from a description, or edits and combines images. It costs money from a prepaid balance, even if the user does not like the result; a failed image costs nothing. Make one image for each that the user wants.',
    `Models (price of one image in ${currency}):`,
    ...models.map((model) => describeModel(model, priceOf)),
    `Waits up to ${longestWait} seconds for the image, or for wait_seconds. The answer holds a small preview, the link to the full image, its price and its job_id. If it is not finished by then, the answer says so: call get_job with its job_id, and do not generate it again.`,
  ].join('\n');
}

function describeModel(model: Model, priceOf: PriceOf): string {
  const prices = [...model.resolutions.keys()].map((name) => `${name} ${formatMicros(priceOf(model, name))}`);
  const images = model.modes.includes('url') ? `up to ${model.maxInputs} images` : 'no images';
  const does = model.action === 'generate' ? '' : `Only to ${model.action.replace('_', ' ')}`;
  const words = [model.name, model.description, does].filter((text) => text !== '').join('. ');
  return `- ${model.id}: ${words}. ${prices.join(', ')}; takes ${images}.`;
}
