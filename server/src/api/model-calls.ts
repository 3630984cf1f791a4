import Type from 'typebox';
import { listPauses, pauseOf } from '../admission/pause-store.ts';
import { allRatios, modelIds, models, resolutions } from '../catalog/models.ts';
import { type Prices, priceOf } from '../catalog/prices.ts';
import type { Database } from '../db/database.ts';
import { amount, nullable, oneOf } from '../http/schemas.ts';
import { maxInputs } from '../inputs/limits.ts';
import { formatMicros } from '../ledger/money.ts';
import { apiCall } from './api-call.ts';

const modelSchema = Type.Object(
  {
    id: oneOf(modelIds, { title: 'ModelId' }),
    name: Type.String(),
    aspect_ratios: Type.Array(oneOf([...allRatios, 'auto'] as const, { title: 'AspectRatio' })),
    resolutions: Type.Array(
      Type.Object(
        {
          resolution: oneOf(resolutions, { title: 'Resolution' }),
          price: amount('Of one image, in the currency of this installation.'),
        },
        { title: 'ModelPrice' },
      ),
      { description: 'Only models with more than one take the field `resolution`.' },
    ),
    max_input_images: Type.Integer(),
    paused: Type.Boolean(),
    pause_reason: nullable(Type.String()),
  },
  { title: 'Model' },
);

export function modelsCall({
  database,
  prices,
  currency,
}: {
  database: Database;
  prices: Prices;
  currency: string;
}) {
  return apiCall({
    tag: 'Account',
    operationId: 'listModels',
    summary: 'List the models',
    description: 'What each model takes, what it costs, and whether it is paused.',
    status: 200,
    reply: Type.Object({ currency: Type.String(), data: Type.Array(modelSchema) }, { title: 'ModelList' }),
    errors: [],
    async handle() {
      const pauses = await listPauses(database.read);
      return {
        currency,
        data: Object.values(models).map(({ id, name, ratios, resolutions, selectable }) => {
          const pause = pauseOf(pauses, id);
          return {
            id,
            name,
            aspect_ratios: selectable ? [...ratios, 'auto'] : ratios,
            resolutions: resolutions.map((resolution) => ({
              resolution,
              price: formatMicros(priceOf(prices, id, resolution)),
            })),
            max_input_images: maxInputs,
            paused: pause !== undefined,
            pause_reason: pause?.reason ?? null,
          };
        }),
      };
    },
  });
}
