import { pick } from '../pick.ts';
import { type Graph, type Node, type Spot, spotOf } from './graph.ts';
import { inputOf, type NodeTypes, optionsOf } from './node-types.ts';

export interface ParameterSchema {
  type: 'integer' | 'number' | 'string';
  default?: string | number;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  enum?: string[];
  description?: string;
}

export interface Parameter {
  name: string;
  /** `NODE.input`, or several separated by commas. */
  place: string;
  schema: ParameterSchema;
}

interface Context {
  types: NodeTypes;
  seed: readonly Spot[];
  negative: readonly Spot[];
  hasImages: boolean;
}

/** Node inputs worth offering, in the order that people expect. */
const offers: readonly { name: string; inputs: readonly string[]; description: string }[] = [
  { name: 'steps', inputs: ['steps'], description: 'How many steps are drawn.' },
  { name: 'guidance', inputs: ['guidance'], description: 'How closely the image follows the prompt.' },
  { name: 'cfg', inputs: ['cfg'], description: 'How closely the image follows the prompt.' },
  { name: 'strength', inputs: ['denoise'], description: 'How far the image may move from its input.' },
  { name: 'sampler', inputs: ['sampler_name'], description: 'The method of drawing.' },
  { name: 'scheduler', inputs: ['scheduler'], description: 'How the noise is spread over the steps.' },
  { name: 'lora', inputs: ['lora_name'], description: 'A small network that changes the style.' },
  {
    name: 'lora_strength',
    inputs: ['strength_model', 'strength_clip'],
    description: 'How much the LoRA changes.',
  },
  { name: 'checkpoint', inputs: ['ckpt_name', 'unet_name'], description: 'The model that draws.' },
];

/** The maximum number of steps. Nodes allow 10,000, which would take a graphics card an hour. */
const maxSteps = 100;
const maxWords = 10_000;
const maxOptions = 200;

export function findParameters(graph: Graph, nodes: readonly Node[], context: Context): Parameter[] {
  const found: Parameter[] = [];
  const add = (name: string, spots: readonly Spot[], schema: ParameterSchema) => {
    if (spots.length > 0) found.push({ name, place: spots.map(({ place }) => place).join(), schema });
  };
  add('seed', context.seed, {
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The same seed and prompt make the same image.',
  });
  const [words] = context.negative;
  add(
    'negative_prompt',
    context.negative.filter(({ value }) => value === words?.value),
    {
      type: 'string',
      default: String(words?.value ?? ''),
      maxLength: maxWords,
      description: 'Things that the image should not show.',
    },
  );
  // A refiner takes over at a fixed step, which would be wrong for another number of steps.
  const isHandedOver = nodes.some(({ inputs }) => Number(inputs.start_at_step ?? 0) > 0);
  for (const { name, inputs, description } of offers) {
    if (name === 'steps' && isHandedOver) continue;
    // Without an input image, a lower strength would leave noise.
    if (name === 'strength' && !context.hasImages) continue;
    for (const [index, { spots, schema }] of groupsOf(graph, nodes, {
      inputs,
      types: context.types,
    }).entries()) {
      const limits = name === 'steps' ? stepsLimits(schema.default) : {};
      add(index === 0 ? name : `${name}_${index + 1}`, spots, { ...schema, ...limits, description });
    }
  }
  return found;
}

/** Groups inputs that one parameter sets: inputs of equal value, as in a second pass, and a LoRA's two strengths. */
function groupsOf(
  graph: Graph,
  nodes: readonly Node[],
  { inputs, types }: { inputs: readonly string[]; types: NodeTypes },
): { spots: Spot[]; schema: ParameterSchema }[] {
  const all = nodes.flatMap((node) =>
    inputs.flatMap((input) => {
      const spot = spotOf(graph, node, input);
      return spot ? [{ spot, node, schema: schemaOf(spot.value, types[node.type], input) }] : [];
    }),
  );
  const distinct = [...new Map(all.map((each) => [each.spot.place, each])).values()];
  const isLora = inputs.some((input) => /^(lora|strength)_/.test(input));
  const groups = Map.groupBy(distinct, ({ spot, node }) => (isLora ? node.id : String(spot.value)));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ schema: first.schema, spots: group.map(({ spot }) => spot) }] : [];
  });
}

/** `type` is the server's description of the node, if available. */
function schemaOf(value: Spot['value'], type: unknown, input: string): ParameterSchema {
  if (typeof value !== 'number') {
    const present = String(value);
    const options = new Set([present, ...optionsOf(type, input)]);
    return { type: 'string', default: present, enum: [...options].slice(0, maxOptions) };
  }
  const declared = inputOf(type, input);
  const [minimum, maximum] = [pick(declared?.more, 'min'), pick(declared?.more, 'max')];
  return {
    type: declared?.type === 'INT' ? 'integer' : 'number',
    default: value,
    ...(typeof minimum === 'number' ? { minimum } : {}),
    ...(typeof maximum === 'number' ? { maximum } : {}),
  };
}

function stepsLimits(present: unknown): { type: 'integer'; minimum: number; maximum: number } {
  return { type: 'integer', minimum: 1, maximum: Math.max(maxSteps, Number(present)) };
}
