import Type from 'typebox';
import { type ConnectionScreenDeps, connectionScreens } from './connections/connection-screens.ts';
import { type ModelDeps, readModel } from './read-model.ts';
import { readModels } from './read-models.ts';
import { type ScreenContractOf, screen } from './screen.ts';

export type ScreenDeps = ModelDeps & ConnectionScreenDeps;

/** What pages of operators read and do in one call. */
export function operatorScreens(deps: ScreenDeps) {
  return [
    screen('GET', '/panel/operator/models', { handle: () => readModels(deps) }),
    screen('GET', '/panel/operator/models/:model_id', {
      params: Type.Object({ model_id: Type.String() }),
      handle: ({ params }) => readModel(deps, params.model_id),
    }),
    ...connectionScreens(deps),
  ] as const;
}

export type ScreenContract = ScreenContractOf<ReturnType<typeof operatorScreens>>;
