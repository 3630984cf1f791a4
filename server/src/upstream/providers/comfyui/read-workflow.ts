import { pick } from '../pick.ts';
import { findAbsent, findMissing, type Missing } from './find-missing.ts';
import { findParameters } from './find-parameters.ts';
import { type Graph, parseGraph, type Spot, spotOf, upstreamOf } from './graph.ts';
import type { NodeTypes } from './node-types.ts';
import { findNamed, findOutputs, findSize, findTexts, merge } from './roles.ts';
import type { WorkflowChoice } from './workflow-choice.ts';

type Role = Exclude<keyof WorkflowChoice, 'parameters'>;

export type WorkflowReading =
  | {
      ok: true;
      choice: WorkflowChoice;
      /** The inputs that could fill each role, the likeliest first. */
      candidates: Record<Role, Spot[]>;
      missing: Missing[];
    }
  | { ok: false; problem: 'editor_format' | 'no_workflow'; detail: string };

/** Without `types`, parameters have no limits, lists have one option, and nothing counts as missing. */
export function readWorkflow(json: unknown, types: NodeTypes = {}): WorkflowReading {
  if (Array.isArray(pick(json, 'nodes')))
    return {
      ok: false,
      problem: 'editor_format',
      detail: `This is the format of ComfyUI’s editor. ${exportIt}`,
    };
  const graph = parseGraph(json);
  if (!graph)
    return { ok: false, problem: 'no_workflow', detail: `This is not a workflow of ComfyUI. ${exportIt}` };
  const outputs = findOutputs(graph);
  const [output] = outputs;
  const nodes = output ? upstreamOf(graph, output) : [...graph.values()];
  const { prompt, positive, negative } = findTexts(graph, nodes);
  const { width, height } = findSize(graph, nodes);
  const seed = findNamed(graph, nodes, seeds);
  const images = nodes
    .filter(({ type }) => type === 'LoadImage')
    .flatMap((node) => spotOf(graph, node, 'image') ?? []);
  const choice: WorkflowChoice = {
    prompt: prompt.map(placeOf),
    width: width.map(placeOf),
    height: height.map(placeOf),
    seed: seed.map(placeOf),
    images: images.map(placeOf),
    output: output?.id ?? null,
    parameters: findParameters(graph, nodes, { types, seed, negative, hasImages: images.length > 0 }),
  };
  const candidates = {
    prompt: merge(prompt, positive, anyTexts(graph)),
    width: merge(width, findNamed(graph, graph.values(), { names: ['width'], type: 'number' })),
    height: merge(height, findNamed(graph, graph.values(), { names: ['height'], type: 'number' })),
    seed: merge(seed, findNamed(graph, graph.values(), seeds)),
    images: merge(images, findNamed(graph, graph.values(), { names: ['image'], type: 'string' })),
    output: outputs.map(({ id, title, type }): Spot => ({ place: id, title, value: type })),
  };
  const missing = [...findMissing(choice, prompt.length === positive.length), ...findAbsent(graph, types)];
  return { ok: true, choice, candidates, missing };
}

const exportIt = 'Open the workflow in ComfyUI, choose “Export (API)” in its menu, and drop that file here.';
const seeds = { names: ['seed', 'noise_seed'], type: 'number' } as const;
const texts = { names: ['text', 'prompt', 'value', 'string'], type: 'string' } as const;

function anyTexts(graph: Graph): Spot[] {
  const nodes = [...graph.values()].filter(({ type }) => /encode|prompt|text|string/i.test(type));
  return findNamed(graph, nodes, texts);
}

function placeOf({ place }: Spot): string {
  return place;
}
