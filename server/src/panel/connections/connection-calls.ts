import Type from 'typebox';
import { checkConnection, findConnection } from '../../connections/check-connection.ts';
import { removeConnection, saveConnection } from '../../connections/save-connection.ts';
import { invalidField } from '../../errors.ts';
import { closed } from '../../http/schemas.ts';
import type { BodyOf, ConnectionRow } from '../contract.ts';
import { followChanges } from '../follow-changes.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { presentConnections } from './list-connections.ts';
import { addModel, presentServable, serveModels, unserveModels } from './serve-models.ts';
import { presentTrial, tryDetails } from './try-connection.ts';
import { addWorkflowModel, findInWorkflow } from './workflow-models.ts';

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const name = text(40);
const details = {
  provider: text(40),
  base_url: Type.Optional(text(2_000)),
  // The JSON of a service account is the longest.
  key: Type.Optional(text(16_384)),
};
const settings = Type.Record(Type.String(), Type.Unknown());
const ratios = Type.Array(text(20), { minItems: 1, maxItems: 50 });
const price = text(20);
// As JSON in JSON it must fit a body of 256 KiB; a hundred nodes take 60,000.
const workflow = text(160_000);
const checkpoint = Type.Optional(text(500));
const place = text(200);
const places = Type.Array(place, { maxItems: 100 });
const roles = closed({
  prompt: places,
  width: places,
  height: places,
  seed: places,
  images: Type.Array(place, { maxItems: 14 }),
  output: Type.Union([place, Type.Null()]),
});

/** Connections to providers and what they serve, for operators. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function connectionCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/operator/connections', { handle: () => presentConnections(deps) }),

    panelCall('POST /panel/operator/connections/try', {
      body: closed({ ...details, name: Type.Optional(name) }),
      handle: ({ body }) => tryDetails(deps, body),
    }),

    panelCall('POST /panel/operator/connections', {
      body: closed({ ...details, name, replaces: Type.Boolean() }),
      async handle({ body, viewer }) {
        await assertFree(deps, body);
        const { provider, base_url: baseUrl = null, key: credential } = body;
        await saveConnection(deps, { name: body.name, provider, baseUrl, credential }, viewer);
        await followChanges(deps);
        return readRow(deps, body.name);
      },
    }),

    panelCall('POST /panel/operator/connections/:name/check', {
      async handle({ params }) {
        const connection = await findConnection(deps, params.name);
        const trial = presentTrial(await checkConnection(connection, deps.guard, deps.closing));
        return { trial, models: presentServable(deps, connection, trial) };
      },
    }),

    panelCall('POST /panel/operator/connections/:name/remove', {
      async handle({ params, viewer }) {
        assertUnlocked(deps, params.name);
        const models = await unserveModels(deps, params, viewer);
        await removeConnection(deps, params.name, viewer);
        await followChanges(deps);
        return { models };
      },
    }),

    panelCall('POST /panel/operator/connections/:name/serve', {
      body: closed({
        models: Type.Array(
          closed({ model: name, settings, place: Type.Union([Type.Literal('first'), Type.Literal('last')]) }),
          { minItems: 1, maxItems: 100 },
        ),
      }),
      async handle({ params, body, viewer }) {
        const connection = await findConnection(deps, params.name);
        return serveModels(deps, connection, { models: body.models, by: viewer });
      },
    }),

    panelCall('POST /panel/operator/connections/:name/models', {
      body: closed({
        id: name,
        name: text(100),
        settings,
        ratios,
        max_inputs: Type.Integer({ minimum: 0, maximum: 14 }),
        prices: Type.Record(Type.String({ maxLength: 20 }), price, { minProperties: 1, maxProperties: 3 }),
      }),
      async handle({ params, body, viewer }) {
        return addModel(deps, await findConnection(deps, params.name), { added: body, by: viewer });
      },
    }),

    panelCall('POST /panel/operator/connections/:name/workflow', {
      body: closed({ workflow, checkpoint }),
      async handle({ params, body }) {
        return findInWorkflow(deps, await findConnection(deps, params.name), body);
      },
    }),

    panelCall('POST /panel/operator/connections/:name/workflow-models', {
      body: closed({
        id: name,
        name: text(100),
        price,
        ratios,
        megapixels: Type.Number({ minimum: 0.01, maximum: 64 }),
        workflow,
        choice: roles,
        parameters: Type.Array(name, { maxItems: 50 }),
        checkpoint,
      }),
      async handle({ params, body, viewer }) {
        return addWorkflowModel(deps, await findConnection(deps, params.name), { added: body, by: viewer });
      },
    }),
  ];
}

/** @throws AppError `invalid_request` when saving would change a connection that is not meant */
async function assertFree(
  deps: PanelDeps,
  { name: wanted, replaces }: BodyOf<'POST /panel/operator/connections'>,
): Promise<void> {
  assertUnlocked(deps, wanted);
  const isThere = (await deps.readConnections()).has(wanted);
  if (isThere && !replaces) throw invalidField('/name', 'is taken by another connection. Choose another.');
  if (!isThere && replaces)
    throw invalidField('/name', 'is not that of a connection; it may be gone by now.');
}

function assertUnlocked({ ofFile }: PanelDeps, wanted: string): void {
  if (ofFile.has(wanted))
    throw invalidField('/name', 'is set by the configuration file, and can only be changed there.');
}

async function readRow(deps: PanelDeps, wanted: string): Promise<ConnectionRow> {
  const row = (await presentConnections(deps)).data.find((one) => one.name === wanted);
  if (!row) throw new Error(`the connection ${wanted} is gone right after it was saved`);
  return row;
}
