import Type from 'typebox';
import { accountOf, livingAccountOf } from '../accounts/account-of.ts';
import { batchPage } from '../api/nouns/batches/batch-page.ts';
import { batchSchema } from '../api/nouns/batches/batch-schemas.ts';
import { closed, named, page } from '../http/schemas.ts';
import { cancelBatch } from '../jobs/batches/cancel-batch.ts';
import { getBatch, presentBatches } from '../jobs/batches/get-batch.ts';
import type { CancelledDeps } from '../jobs/cancel/end-cancelled.ts';
import { adminCall } from './admin-call.ts';
import { accountParams, listFields, pageOf } from './schemas.ts';

const tag = 'Jobs';
const batchParams = Type.Object({ ...accountParams.properties, batch_id: Type.String() });

/** The batches of accounts. */
export function batchCalls(deps: CancelledDeps) {
  const { database } = deps;
  const wanted = async ({ account, batch_id: batchId }: { account: string; batch_id: string }) => ({
    accountId: (await accountOf(database.read, account)).id,
    batchId,
  });
  return {
    list: adminCall({
      tag,
      operationId: 'listBatches',
      summary: 'List the batches of an account, newest first',
      params: accountParams,
      query: closed(listFields),
      status: 200,
      reply: page('BatchList', named(batchSchema)),
      errors: ['not_found'],
      async handle({ params, query }) {
        const { id: accountId } = await accountOf(database.read, params.account);
        return batchPage(deps, { accountId, ...pageOf(query) });
      },
    }),

    get: adminCall({
      tag,
      operationId: 'getBatch',
      summary: 'Read a batch',
      description: 'How far it is, and what it has cost so far.',
      params: batchParams,
      status: 200,
      reply: named(batchSchema),
      errors: ['not_found'],
      async handle({ params }) {
        const [presented] = await presentBatches(database, [await getBatch(deps, await wanted(params))]);
        return presented;
      },
    }),

    cancel: adminCall({
      tag,
      operationId: 'cancelBatch',
      summary: 'Cancel the rest of a batch',
      description: 'Its jobs that are queued or processing; their price is released. What is done stays.',
      params: batchParams,
      status: 200,
      reply: named(batchSchema),
      errors: ['not_found', 'body_too_large'],
      async handle({ params, by }) {
        await livingAccountOf(database.read, params.account);
        const batch = await cancelBatch(deps, await wanted(params), by);
        const [presented] = await presentBatches(database, [batch]);
        return presented;
      },
    }),
  };
}
