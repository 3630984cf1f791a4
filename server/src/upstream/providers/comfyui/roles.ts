import { type Graph, type Node, type Spot, sourceOf, sourcesOf, spotOf, upstreamOf } from './graph.ts';
import { isSampler, textsOf } from './sampler-texts.ts';

/**
 * Finds nodes that save images, then nodes that show them. Of each kind, the last node comes first. WebSocket nodes are
 * omitted, because they leave no history.
 */
export function findOutputs(graph: Graph): Node[] {
  const all = [...graph.values()];
  const taken = new Set(all.flatMap((node) => sourcesOf(graph, node)));
  const ends = all
    .filter((node) => !taken.has(node) && !/websocket/i.test(node.type))
    .filter(({ inputs }) => sourceOf(graph, inputs.images ?? inputs.image) !== undefined)
    .toReversed();
  const saves = ({ type }: Node) => /save/i.test(type);
  return [...ends.filter(saves), ...ends.filter((node) => !saves(node))];
}

/**
 * Finds the texts that the prompt replaces: the first text, others of its node, and equal ones, because a base model
 * and its refiner often share a text. If parts of an image have different texts, a person must choose.
 */
export function findTexts(graph: Graph, nodes: readonly Node[]) {
  // The sampler that draws first is furthest from the output.
  const samplers = nodes.filter((node) => isSampler(graph, node)).toReversed();
  const positive = merge(samplers.flatMap((sampler) => textsOf(graph, sampler, 'positive')));
  const negative = merge(samplers.flatMap((sampler) => textsOf(graph, sampler, 'negative')));
  const [first] = positive;
  const prompt = positive.filter(
    (spot) => first && (spot.value === first.value || nodeOf(spot) === nodeOf(first)),
  );
  return {
    prompt,
    positive,
    negative: negative.filter(({ place }) => !positive.some((other) => other.place === place)),
  };
}

/** Finds the inputs that set the size of the first latent, and those of other nodes with the same size. */
export function findSize(graph: Graph, nodes: readonly Node[]): { width: Spot[]; height: Spot[] } {
  const latents = nodes
    .filter((node) => isSampler(graph, node))
    .flatMap(({ inputs }) => sourceOf(graph, inputs.latent_image)?.node ?? []);
  const behind = new Set(latents.flatMap((node) => upstreamOf(graph, node)));
  const sized = nodes.flatMap((node) => {
    const [width, height] = [spotOf(graph, node, 'width'), spotOf(graph, node, 'height')];
    const isSized = typeof width?.value === 'number' && typeof height?.value === 'number';
    return isSized ? [{ node, width, height }] : [];
  });
  const makers = sized.filter(({ node }) => behind.has(node));
  const origin = makers.findLast(({ node }) => /empty/i.test(node.type)) ?? makers.at(-1);
  const alike = sized.filter(
    ({ width, height }) => width.value === origin?.width.value && height.value === origin?.height.value,
  );
  return { width: merge(alike.map(({ width }) => width)), height: merge(alike.map(({ height }) => height)) };
}

export function findNamed(
  graph: Graph,
  nodes: Iterable<Node>,
  { names, type }: { names: readonly string[]; type: 'number' | 'string' },
): Spot[] {
  const spots = [...nodes].flatMap((node) => names.flatMap((name) => spotOf(graph, node, name) ?? []));
  return merge(spots.filter(({ value }) => typeof value === type));
}

export function merge(...lists: readonly (readonly Spot[])[]): Spot[] {
  return [...new Map(lists.flat().map((spot) => [spot.place, spot])).values()];
}

function nodeOf({ place }: Spot): string {
  return place.slice(0, place.indexOf('.'));
}
