import { type Graph, type Node, type Spot, sourceOf, spotOf } from './graph.ts';

type Side = 'positive' | 'negative';

const textInputs = ['text', 'prompt', 'text_g', 'text_l', 'clip_l', 'clip_g', 't5xxl', 'llama'];
/**
 * Matches nodes that turn the positive prompt into an empty negative one. The text of the positive prompt must not
 * count as negative.
 */
const emptied = /ZeroOut/;
const conditioning = /^cond/;
/** The maximum number of nodes to follow, so that a cycle ends. */
const maxDepth = 50;

/** Whether a node draws: it starts from a latent, and texts guide it directly or through a guider. */
export function isSampler(graph: Graph, { inputs }: Node): boolean {
  return Object.hasOwn(inputs, 'latent_image') && guiderOf(graph, inputs) !== undefined;
}

/** `positive` guides a sampler towards a text, and `negative` away from it. */
export function textsOf(graph: Graph, sampler: Node, side: Side): Spot[] {
  const inputs = guiderOf(graph, sampler.inputs) ?? {};
  const names = Object.keys(inputs).filter(
    (name) => name === side || (side === 'positive' && conditioning.test(name)),
  );
  return names.flatMap((name) => wordsBehind(graph, inputs[name], { side, depth: 0 }));
}

function guiderOf(graph: Graph, inputs: Node['inputs']): Node['inputs'] | undefined {
  const guider = sourceOf(graph, inputs.guider)?.node;
  return guider?.inputs ?? (sourceOf(graph, inputs.positive) ? inputs : undefined);
}

function wordsBehind(graph: Graph, link: unknown, way: { side: Side; depth: number }): Spot[] {
  const source = sourceOf(graph, link);
  if (!source || way.depth > maxDepth || emptied.test(source.node.type)) return [];
  const { node, output } = source;
  const own = textInputs.flatMap((input) => {
    const spot = spotOf(graph, node, input);
    return typeof spot?.value === 'string' ? spot : [];
  });
  if (own.length > 0) return own;
  // A node with both sides as inputs also has both as outputs, first the positive one.
  const isSided = ['positive', 'negative'].every((name) => Object.hasOwn(node.inputs, name));
  const side = isSided ? (output === 1 ? 'negative' : 'positive') : way.side;
  const names = Object.keys(node.inputs).filter((name) =>
    isSided ? name === side : conditioning.test(name),
  );
  return names.flatMap((name) => wordsBehind(graph, node.inputs[name], { side, depth: way.depth + 1 }));
}
