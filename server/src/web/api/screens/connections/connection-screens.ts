import Type from 'typebox';
import { closed } from '../../../../base/http/schemas.ts';
import { checkConnection, findConnection } from '../../../../upstream/connections/check-connection.ts';
import { connectionDetails, presentCheck } from '../../nouns/connections/connection-json.ts';
import { screen } from '../screen.ts';
import { type ConnectionsPageDeps, readConnectionsPage } from './read-connections-page.ts';
import { addModel, newModel, presentServable, type ServeDeps, serveModels, serving } from './serve-models.ts';
import { type TryDeps, tryDetails } from './try-details.ts';
import { addWorkflowModel, findInWorkflow, givenWorkflow, newWorkflowModel } from './workflow-models.ts';

export type ConnectionScreenDeps = ConnectionsPageDeps & ServeDeps & TryDeps;

export function connectionScreens(deps: ConnectionScreenDeps) {
  const find = ({ name }: { name: string }) => findConnection(deps, name);
  return [
    screen('GET', '/panel/operator/connections', { handle: () => readConnectionsPage(deps) }),

    /** If no key is given, the key of the connection `name` is used, but only for the same provider and address. */
    screen('POST', '/panel/operator/connections/try', {
      body: closed({
        ...connectionDetails,
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
      }),
      handle: ({ body }) => tryDetails(deps, body),
    }),

    screen('POST', '/panel/operator/connections/:name/offers', {
      async handle({ params }) {
        const connection = await find(params);
        const trial = presentCheck(await checkConnection(connection, deps.guard, deps.closing));
        return { trial, models: presentServable(deps, connection, trial) };
      },
    }),

    /** Adds routes through the connection, which replace a model's earlier routes through it. */
    screen('POST', '/panel/operator/connections/:name/serve', {
      body: closed({ models: Type.Array(serving, { minItems: 1, maxItems: 100 }) }),
      handle: async ({ params, body: { models }, by }) =>
        serveModels(deps, await find(params), { models, by }),
    }),

    screen('POST', '/panel/operator/connections/:name/models', {
      body: newModel,
      handle: async ({ params, body: added, by }) => addModel(deps, await find(params), { added, by }),
    }),

    screen('POST', '/panel/operator/connections/:name/workflow', {
      body: givenWorkflow,
      handle: async ({ params, body }) => findInWorkflow(deps, await find(params), body),
    }),

    screen('POST', '/panel/operator/connections/:name/workflow-models', {
      body: newWorkflowModel,
      handle: async ({ params, body: added, by }) =>
        addWorkflowModel(deps, await find(params), { added, by }),
    }),
  ] as const;
}
