import Type from 'typebox';
import { amount, closed } from '../../../base/http/schemas.ts';
import { listPauses, pauseOf } from '../../../jobs/admission/pause-store.ts';
import { formatMicros } from '../../../money/ledger/money.ts';
import { readPresentedBalance } from '../../../money/ledger/present-balance.ts';
import { defaultResolution } from '../../../upstream/catalog/models.ts';
import type { DoorDeps } from '../door-deps.ts';
import { modelsOf } from './generate-arguments.ts';
import { structured, type Tool } from './tool.ts';

const nothing = closed({});
const annotations = { readOnlyHint: true, openWorldHint: false };

const balanceSchema = closed({
  balance: amount('Deposited and not yet spent.'),
  reserved: amount('Reserved for images that are not finished.'),
  available: amount('The amount that can be spent now.'),
  currency: Type.String(),
});

export function getBalance({ database, currency }: DoorDeps): Tool {
  return {
    name: 'get_balance',
    define: () => ({
      title: 'Get the balance',
      description:
        'How much of the prepaid balance is left. Call it before many or expensive images, and when one could not be paid.',
      inputSchema: nothing as { type: 'object' },
      outputSchema: balanceSchema as { type: 'object' },
      annotations,
    }),
    async run({ key }) {
      return structured({ ...(await readPresentedBalance(database.read, key.accountId)), currency });
    },
  };
}

const modelsSchema = closed({
  currency: Type.String(),
  models: Type.Array(
    closed({
      id: Type.String(),
      name: Type.String(),
      description: Type.String(),
      aspect_ratios: Type.Array(Type.String()),
      resolutions: Type.Array(
        closed({ resolution: Type.String(), price: amount('The price of one image.') }),
        {
          description: 'Smallest first.',
        },
      ),
      default_resolution: Type.String(),
      max_images: Type.Integer({ description: 'How many `images` it takes; 0: it works from text alone.' }),
      paused: Type.Boolean({ description: 'True while it cannot be used.' }),
    }),
  ),
});

export function listModels(deps: DoorDeps): Tool {
  return {
    name: 'list_models',
    define: () => ({
      title: 'List the models',
      description:
        'The strengths of each model, its aspect ratios and resolutions, prices, and whether it is paused. generate_image names models and prices already; call this for the ratios, or when a model was refused.',
      inputSchema: nothing as { type: 'object' },
      outputSchema: modelsSchema as { type: 'object' },
      annotations,
    }),
    async run({ key }) {
      const priceOf = deps.prices.of(key.accountId);
      const pauses = await listPauses(deps.database.read);
      return structured({
        currency: deps.currency,
        models: modelsOf(deps, key).map((model) => ({
          id: model.id,
          name: model.name,
          description: model.description,
          aspect_ratios: model.auto ? [...model.ratios, 'auto'] : [...model.ratios],
          resolutions: [...model.resolutions.keys()].map((resolution) => ({
            resolution,
            price: formatMicros(priceOf(model, resolution)),
          })),
          default_resolution: defaultResolution(model),
          max_images: model.modes.includes('url') ? model.maxInputs : 0,
          paused: pauseOf(pauses, model.id) !== undefined,
        })),
      });
    },
  };
}
