import { batchListQuery } from '../nouns/batches/account-batch-calls.ts';
import { type KeyCallDeps, keyListQuery } from '../nouns/keys/key-calls.ts';
import { type ConnectionScreenDeps, connectionScreens } from './connections/connection-screens.ts';
import { type GrantDeps, grantScreens } from './grant-screens.ts';
import { type JobScreenDeps, jobScreens } from './jobs/job-screens.ts';
import { type OverviewDeps, readOverview } from './overview/read-overview.ts';
import { type PaymentScreenDeps, paymentScreens } from './payment-screens.ts';
import { type PeopleScreenDeps, peopleScreens } from './people-screens.ts';
import { type BatchesDeps, readBatches } from './read-batches.ts';
import { readKeys } from './read-keys.ts';
import { type ModelDeps, readModel } from './read-model.ts';
import { readModels } from './read-models.ts';
import { type ScreenContractOf, screen } from './screen.ts';

export type ScreenDeps = BatchesDeps &
  KeyCallDeps &
  ModelDeps &
  ConnectionScreenDeps &
  JobScreenDeps &
  PaymentScreenDeps &
  PeopleScreenDeps &
  OverviewDeps &
  GrantDeps;

export function screens(deps: ScreenDeps) {
  return [
    screen('GET', '/panel/accounts/:account_id/overview', {
      right: 'see_pictures',
      handle: ({ params, by }) => readOverview(deps, params.account_id, by),
    }),
    screen('GET', '/panel/accounts/:account_id/batches', {
      right: 'see_pictures',
      query: batchListQuery,
      handle: ({ params, query }) => readBatches(deps, params.account_id, query),
    }),
    screen('GET', '/panel/accounts/:account_id/keys', {
      right: 'see_setup',
      query: keyListQuery,
      handle: ({ params, query }) => readKeys(deps, params.account_id, query),
    }),
    screen('GET', '/panel/operator/models', { handle: () => readModels(deps) }),
    screen('GET', '/panel/operator/models/:model_id', {
      handle: ({ params }) => readModel(deps, params.model_id),
    }),
    ...connectionScreens(deps),
    ...jobScreens(deps),
    ...paymentScreens(deps),
    ...peopleScreens(deps),
    ...grantScreens(deps),
  ] as const;
}

export type ScreenContract = ScreenContractOf<ReturnType<typeof screens>>;
