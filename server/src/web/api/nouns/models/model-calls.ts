import Type from 'typebox';
import type { Prices } from '../../../../accounts/price-groups/price-book.ts';
import {
  presentRetention,
  type RetentionSettings,
  retentionOf,
} from '../../../../accounts/retention/retention.ts';
import { readOwnRetention } from '../../../../accounts/retention/retention-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import { named } from '../../../../base/http/schemas.ts';
import { listPauses } from '../../../../jobs/admission/pause-store.ts';
import type { LiveRoutes } from '../../../../jobs/routes/live-routes.ts';
import type { Catalogue } from '../../../../upstream/catalog/catalogue.ts';
import { accountCall } from '../../account-call.ts';
import { noSuchModel } from '../../named-model.ts';
import { modelSchema, presentModel, retentionSchema } from './model-json.ts';

export interface ModelCallDeps {
  database: Database;
  catalogue: Catalogue;
  prices: Prices;
  currency: string;
  retention: RetentionSettings;
  routes: Pick<LiveRoutes, 'servantsOf'>;
}

const tag = 'Account';

export function modelCalls({ database, catalogue, prices, currency, retention, routes }: ModelCallDeps) {
  return {
    list: accountCall({
      tag,
      operationId: 'listModels',
      summary: 'List the models',
      description:
        'Lists what each model supports, its prices, and whether it is paused; and how long results are kept.',
      reply: Type.Object(
        { currency: Type.String(), retention: retentionSchema, data: Type.Array(named(modelSchema)) },
        { title: 'ModelList' },
      ),
      async handle({ accountId }) {
        const pauses = await listPauses(database.read);
        const own = await readOwnRetention(database.read, accountId);
        const priceOf = prices.of(accountId);
        return {
          currency,
          retention: presentRetention(retentionOf(retention, own)),
          data: catalogue.list().map((model) => presentModel(model, priceOf, pauses, routes)),
        };
      },
    }),

    get: accountCall({
      tag,
      operationId: 'getModel',
      summary: 'Read a model',
      description: 'Reads what it supports, its prices, and whether it is paused.',
      params: Type.Object({ model_id: Type.String() }),
      reply: named(modelSchema),
      errors: ['not_found'],
      async handle({ accountId, params: { model_id: id } }) {
        const model = catalogue.find(id);
        if (!model) throw noSuchModel(id, catalogue);
        return presentModel(model, prices.of(accountId), await listPauses(database.read), routes);
      },
    }),
  };
}
