import type { Graph, Node } from './graph.ts';
import { type NodeTypes, optionsOf } from './node-types.ts';
import type { WorkflowChoice } from './workflow-choice.ts';

export interface Missing {
  what: 'prompt' | 'output' | 'seed' | 'size' | 'node' | 'file';
  /** Says what is missing, the consequence unless it is obvious, and the remedy. */
  detail: string;
}

/** `isSure` is true if the prompt replaces every positive text of the samplers. */
export function findMissing(choice: WorkflowChoice, isSure: boolean): Missing[] {
  const { prompt, output, seed, width, height, images } = choice;
  const found: [isMissing: boolean, what: Missing['what'], detail: string][] = [
    [prompt.length === 0, 'prompt', 'No node for the prompt was found. Choose one.'],
    [
      prompt.length > 0 && !isSure,
      'prompt',
      'The workflow has several different texts. Choose those that the prompt replaces.',
    ],
    [output === null, 'output', 'No node saves an image. Add “Save Image” to the workflow.'],
    [
      seed.length === 0,
      'seed',
      'No seed was found: the same prompt gives the same image. Choose one if the workflow has one.',
    ],
    [
      width.length === 0 || height.length === 0,
      'size',
      images.length > 0
        ? 'No size was found: images get the size that the workflow makes of the input, and are cropped.'
        : 'No size was found: images have the size of the workflow, and are cropped. Choose width and height if it has them.',
    ],
  ];
  return found.flatMap(([isMissing, what, detail]) => (isMissing ? [{ what, detail }] : []));
}

export function findAbsent(graph: Graph, types: NodeTypes): Missing[] {
  if (Object.keys(types).length === 0) return [];
  const nodes = [...graph.values()];
  const unknown = new Set(nodes.map(({ type }) => type).filter((type) => types[type] === undefined));
  return [
    ...[...unknown].map((type): Missing => {
      return {
        what: 'node',
        detail: `The server has no node ${type}. Install its extension, or remove the node.`,
      };
    }),
    ...nodes.flatMap((node) => absentFiles(node, types[node.type])),
  ];
}

function absentFiles(node: Node, type: unknown): Missing[] {
  return Object.entries(node.inputs).flatMap(([input, value]): Missing[] => {
    const options = optionsOf(type, input);
    const isFile = /_name\d?$/.test(input) && typeof value === 'string';
    if (!isFile || options.length === 0 || options.includes(value)) return [];
    const has = options.slice(0, 5).join(', ');
    return [{ what: 'file', detail: `The server has no ${input} “${value}”. It has ${has}.` }];
  });
}
