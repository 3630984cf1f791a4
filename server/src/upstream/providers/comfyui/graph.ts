import { pick, pickText } from '../pick.ts';

export interface Node {
  id: string;
  /** The class of the node, such as `KSampler`. */
  type: string;
  title: string;
  inputs: Readonly<Record<string, unknown>>;
}

export type Graph = ReadonlyMap<string, Node>;

export interface Spot {
  place: string;
  /** The title for people: the name of the node, and the input. */
  title: string;
  value: string | number | boolean;
}

/** The maximum number of nodes, far more than workflows have. Reading time grows with the square of this number. */
const maxNodes = 1000;
/** The maximum number of nodes through which a value may pass. */
const maxPasses = 5;

/** Parses a graph as exported, or within a body of the server's API; undefined for anything else. */
export function parseGraph(json: unknown): Graph | undefined {
  return parse(json) ?? parse(pick(json, 'prompt'));
}

function parse(json: unknown): Graph | undefined {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return undefined;
  const entries = Object.entries(json);
  if (entries.length === 0 || entries.length > maxNodes) return undefined;
  const nodes = entries.map(([id, value]): Node | undefined => {
    const type = pickText(value, 'class_type');
    const inputs = pick(value, 'inputs');
    if (type === undefined || inputs === null || typeof inputs !== 'object') return undefined;
    return { id, type, title: pickText(value, '_meta', 'title') ?? type, inputs: { ...inputs } };
  });
  const whole = nodes.filter((node) => node !== undefined);
  return whole.length === nodes.length ? new Map(whole.map((node) => [node.id, node])) : undefined;
}

export function writeGraph(graph: Graph, values: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    [...graph.values()].map(({ id, type, title, inputs }) => {
      const written = Object.entries(inputs).map(([input, value]) => {
        const place = `${id}.${input}`;
        return [input, values.has(place) ? values.get(place) : value];
      });
      return [id, { class_type: type, inputs: Object.fromEntries(written), _meta: { title } }];
    }),
  );
}

/** `output` is the number of the node's output that feeds the input. */
export function sourceOf(graph: Graph, value: unknown): { node: Node; output: number } | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const node = graph.get(String(value[0]));
  return node && { node, output: Number(value[1]) };
}

export function sourcesOf(graph: Graph, node: Node): Node[] {
  return Object.values(node.inputs).flatMap((value) => sourceOf(graph, value)?.node ?? []);
}

export function upstreamOf(graph: Graph, from: Node): Node[] {
  const seen = new Set<Node>();
  const open = [from];
  for (let node = open.pop(); node; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    open.push(...sourcesOf(graph, node).toReversed());
  }
  return [...seen];
}

/** The input of a node that only holds a value has one of these names. */
const holders = ['value', 'string', 'text', 'prompt', 'int', 'float', 'number', 'seed', 'noise_seed'];

/** The value of an input, even if it comes from another node; undefined if it is computed. */
export function spotOf(graph: Graph, node: Node, input: string, passes = 0): Spot | undefined {
  const value = Object.hasOwn(node.inputs, input) ? node.inputs[input] : undefined;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return { place: `${node.id}.${input}`, title: `${node.title}: ${input}`, value };
  const source = sourceOf(graph, value)?.node;
  const held = holders.filter((name) => source && Object.hasOwn(source.inputs, name));
  const [only] = held;
  if (!source || only === undefined || held.length > 1 || passes >= maxPasses) return undefined;
  return spotOf(graph, source, only, passes + 1);
}
