import { SettingError } from '../../../errors.ts';
import type { ParameterSchema } from './find-parameters.ts';
import { parseGraph, writeGraph } from './graph.ts';
import { takesInput, type Workflow } from './workflow.ts';
import type { WorkflowChoice } from './workflow-choice.ts';

export interface WorkflowRoute {
  settings: { workflows: Workflow[]; outputNode?: string; minInputs?: number; maxInputs: number };
  parameters: Record<string, ParameterSchema>;
  fields: Record<string, string>;
}

export interface ConfirmedWorkflow {
  workflow: unknown;
  choice: WorkflowChoice;
}

/** Keeps only parameters that all workflows have. @throws SettingError for a choice that does not fit its workflow */
export function applyChoices(confirmed: readonly ConfirmedWorkflow[]): WorkflowRoute {
  const workflows = confirmed.map(fillSlots);
  const outputs = confirmed.map(({ choice }) => choice.output);
  const outputNode = outputs.every((output) => output === outputs[0]) ? outputs[0] : null;
  const counts = confirmed.map(({ choice }) => choice.images.length);
  const shared = sharedParameters(confirmed.map(({ choice }) => choice));
  const taken = shared.filter(({ place }) => takesInput(workflows, place));
  return {
    settings: {
      workflows,
      ...(outputNode ? { outputNode } : {}),
      ...(counts.includes(0) ? {} : { minInputs: 1 }),
      maxInputs: Math.max(0, ...counts),
    },
    parameters: Object.fromEntries(taken.map(({ name, schema }) => [name, schema])),
    fields: Object.fromEntries(taken.map(({ name, place }) => [name, place])),
  };
}

function fillSlots({ workflow, choice }: ConfirmedWorkflow): Workflow {
  const graph = parseGraph(workflow);
  if (!graph) throw new SettingError('the workflow is not in the API format of ComfyUI');
  if (choice.prompt.length === 0) throw new SettingError('the workflow needs a place for the prompt');
  const slots = new Map<string, string>();
  const put = (places: readonly string[], slot: string) => {
    for (const place of places) slots.set(place, slot);
  };
  put(choice.prompt, '{{prompt}}');
  put(choice.width, '{{width}}');
  put(choice.height, '{{height}}');
  put(choice.seed, '{{seed}}');
  for (const [index, place] of choice.images.entries()) slots.set(place, `{{image${index + 1}}}`);
  const nodes = [...graph.values()];
  if (choice.output !== null && !graph.has(choice.output))
    throw new SettingError(`the workflow has no node ${choice.output}`);
  const known = new Set(
    nodes.flatMap(({ id, inputs }) => Object.keys(inputs).map((input) => `${id}.${input}`)),
  );
  for (const place of slots.keys())
    if (!known.has(place)) throw new SettingError(`the workflow has no input ${place}`);
  return writeGraph(graph, slots);
}

/** Returns the parameters that all workflows have, with the limits of the first workflow. */
function sharedParameters(choices: readonly WorkflowChoice[]): WorkflowChoice['parameters'] {
  const [first, ...others] = choices;
  return (first?.parameters ?? []).flatMap(({ name, place, schema }) => {
    const places = others.map(({ parameters }) => parameters.find((other) => other.name === name)?.place);
    if (places.includes(undefined)) return [];
    return [
      {
        name,
        schema,
        place: [...new Set([place, ...places].flatMap((each) => each?.split(',') ?? []))].join(),
      },
    ];
  });
}
