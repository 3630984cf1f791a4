import type { ServerLogin } from '../base-url.ts';
import type { UpstreamAccess } from '../connection.ts';
import { pick, pickList } from '../pick.ts';
import { parseGraph } from './graph.ts';
import { type ComfyUiServer, createServer } from './server.ts';

export type NodeTypes = Readonly<Record<string, unknown>>;

/** The maximum number of classes. Each takes a request of some kilobytes; the whole list is several megabytes. */
const maxTypes = 200;

/** Classes that the server lacks are absent from the result. */
export async function readNodeTypes(
  server: ComfyUiServer,
  names: readonly string[],
  signal: AbortSignal,
): Promise<NodeTypes> {
  const answers: NodeTypes = {};
  for (const name of names.slice(0, maxTypes)) {
    const answer = await server.get(`/object_info/${encodeURIComponent(name)}`, signal);
    Object.assign(answers, { [name]: pick(answer.json(), name) });
  }
  return answers;
}

export async function readNodeTypesFor(
  { baseUrl = '', credentials, guard }: UpstreamAccess<ServerLogin>,
  workflow: unknown,
  signal: AbortSignal,
): Promise<NodeTypes> {
  const server = createServer(baseUrl, credentials, guard);
  await using _closed = server.upstream;
  const nodes = parseGraph(workflow)?.values() ?? [];
  return await readNodeTypes(server, [...new Set([...nodes].map(({ type }) => type))], signal);
}

/** The declaration of an input: its type or its options, then further properties. */
export function inputOf(type: unknown, input: string): { type: unknown; more: unknown } | undefined {
  const declared = ['required', 'optional']
    .map((group) => pick(type, 'input', group, input))
    .find(Array.isArray);
  return declared && { type: declared[0], more: declared[1] };
}

/** The options of an input. Newer nodes have the type `COMBO` and a separate list. */
export function optionsOf(type: unknown, input: string): string[] {
  const declared = inputOf(type, input);
  const options = Array.isArray(declared?.type) ? declared.type : pickList(declared?.more, 'options');
  return options.filter((option): option is string => typeof option === 'string');
}
