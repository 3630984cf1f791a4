import Type, { type Static } from 'typebox';
import type { Actor } from '../../../../base/audit/audit-store.ts';
import type { Guard } from '../../../../base/guard/guard.ts';
import { assertSmall } from '../../../../base/http/json-body.ts';
import { closed } from '../../../../base/http/schemas.ts';
import { invalidField, SettingError } from '../../../../errors.ts';
import type { Connection } from '../../../../upstream/connections/connection.ts';
import { applyChoices } from '../../../../upstream/providers/comfyui/apply-choices.ts';
import type { ParameterSchema } from '../../../../upstream/providers/comfyui/find-parameters.ts';
import { parseGraph, type Spot, writeGraph } from '../../../../upstream/providers/comfyui/graph.ts';
import { type NodeTypes, readNodeTypesFor } from '../../../../upstream/providers/comfyui/node-types.ts';
import { readWorkflow, type WorkflowReading } from '../../../../upstream/providers/comfyui/read-workflow.ts';
import type { WorkflowChoice } from '../../../../upstream/providers/comfyui/workflow-choice.ts';
import { readCredentials } from '../../../../upstream/providers/probe-connection.ts';
import { ProviderError } from '../../../../upstream/providers/provider.ts';
import { addDefinition, type Changed, multipleOf, newNames, price, type ServeDeps } from './serve-models.ts';
import type { TryDeps } from './try-details.ts';

/**
 * The maximum number of values in a body. A workflow of a hundred nodes has a tenth of it. The time to read a workflow
 * grows with the square of this number.
 */
const maxValues = 20_000;
/** The time-out is long, because each node class needs a request of its own. */
const askTimeoutMs = 20_000;

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const given = {
  // The file in API format. It is JSON within JSON, and the body must fit into 256 KiB. A hundred nodes take 60,000
  // characters.
  workflow: text(160_000),
  /** The checkpoint file that the workflow loads instead of its own. */
  checkpoint: Type.Optional(text(500)),
};
export const givenWorkflow = closed(given);

const place = text(200);
const places = Type.Array(place, { maxItems: 100 });
export const newWorkflowModel = closed({
  ...newNames,
  ...given,
  price,
  megapixels: Type.Number({ minimum: 0.01, maximum: 64 }),
  choice: closed({
    prompt: places,
    width: places,
    height: places,
    seed: places,
    images: Type.Array(place, { maxItems: 14 }),
    output: Type.Union([place, Type.Null()]),
  }),
  parameters: Type.Array(text(40), { maxItems: 50 }),
});
type NewWorkflowModel = Static<typeof newWorkflowModel>;

type Role = Exclude<keyof WorkflowChoice, 'parameters'>;

/** `detail` is advice about the problem. `asked` says whether the server reported its nodes, files and limits. */
export type WorkflowFound =
  | { ok: false; problem: string; detail: string }
  | {
      ok: true;
      asked: boolean;
      choice: Pick<WorkflowChoice, Role>;
      /** For each role, the places that could fill it, the likeliest first. */
      candidates: Record<Role, Spot[]>;
      parameters: { name: string; place: string; schema: ParameterSchema }[];
      /** The server's checkpoint files; null if the workflow has no loader for them. */
      checkpoints: { present: string; files: string[] } | null;
      missing: { what: string; detail: string }[];
    };

export async function findInWorkflow(
  deps: Pick<TryDeps, 'closing' | 'guard'>,
  connection: Connection,
  { workflow, checkpoint }: Static<typeof givenWorkflow>,
): Promise<WorkflowFound> {
  const { reading, types } = await read(deps, connection, workflow, checkpoint);
  if (!reading.ok) return reading;
  const { parameters, ...choice } = reading.choice;
  const loaded = parameters.find(({ name }) => name === 'checkpoint')?.schema;
  return {
    ok: true,
    asked: types !== undefined,
    choice,
    candidates: reading.candidates,
    parameters,
    checkpoints: loaded ? { present: String(loaded.default), files: loaded.enum ?? [] } : null,
    missing: reading.missing,
  };
}

export async function addWorkflowModel(
  deps: ServeDeps & TryDeps,
  connection: Connection,
  { added, by }: { added: NewWorkflowModel; by: Actor },
): Promise<Changed> {
  const { graph, reading } = await read(deps, connection, added.workflow, added.checkpoint);
  if (!reading.ok) throw invalidField('/workflow', `cannot be used. ${reading.detail}`);
  const offered = reading.choice.parameters.filter(({ name }) => added.parameters.includes(name));
  const { settings, parameters, fields } = apply(graph, { ...added.choice, parameters: offered });
  const { id, name, price, ratios, megapixels } = added;
  const definition = {
    id,
    name,
    modes: [settings.maxInputs > 0 ? ('url' as const) : ('text' as const)],
    ...(settings.maxInputs > 0 && { maxInputs: settings.maxInputs }),
    ratios,
    // `auto` is possible with an input, because an image made from an input usually keeps its shape.
    auto: settings.maxInputs > 0,
    resolutions: { '1K': { price, megapixels, multipleOf } },
    parameters,
    routes: [
      { connection: connection.name, model: id, ...settings, fit: 'crop', upscale: true, parameters: fields },
    ],
  };
  return addDefinition(deps, definition, by);
}

function apply(workflow: unknown, choice: Parameters<typeof applyChoices>[0][number]['choice']) {
  try {
    return applyChoices([{ workflow, choice }]);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw invalidField('/choice', `does not fit: ${error.message}.`);
  }
}

async function read(
  { closing, guard }: Pick<TryDeps, 'closing' | 'guard'>,
  connection: Connection,
  text: string,
  checkpoint: string | undefined,
): Promise<{ graph: unknown; reading: WorkflowReading; types: NodeTypes | undefined }> {
  const given = parse(text);
  const types = await ask(
    connection,
    given,
    guard,
    AbortSignal.any([closing, AbortSignal.timeout(askTimeoutMs)]),
  );
  const reading = readWorkflow(given, types);
  const parsed = parseGraph(given);
  if (checkpoint === undefined || !reading.ok || !parsed) return { graph: given, reading, types };
  const place = reading.choice.parameters.find(({ name }) => name === 'checkpoint')?.place ?? '';
  const graph = writeGraph(parsed, new Map(place.split(',').map((each) => [each, checkpoint])));
  return { graph, reading: readWorkflow(graph, types), types };
}

/**
 * Asks the server for its node types; undefined if it does not answer.
 * @throws AppError for a provider other than ComfyUI
 */
async function ask(
  connection: Connection,
  workflow: unknown,
  guard: Guard,
  signal: AbortSignal,
): Promise<NodeTypes | undefined> {
  const { provider, baseUrl, credential } = connection;
  if (provider !== 'comfyui')
    throw invalidField('/workflow', `is for ComfyUI, which the connection ${connection.name} is not.`);
  try {
    return await readNodeTypesFor(
      { baseUrl, credentials: readCredentials(provider, credential), guard },
      workflow,
      signal,
    );
  } catch (error) {
    if (error instanceof ProviderError || signal.aborted) return undefined;
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    assertSmall(json, maxValues);
    return json;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidField('/workflow', 'is not JSON. Choose the file that ComfyUI’s “Export (API)” wrote.');
  }
}
