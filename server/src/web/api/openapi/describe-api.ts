import { mayBeLeftOut } from '../../../base/http/json-body.ts';
import { hoistSchemas } from './hoist-schemas.ts';
import { addHeaders, sharedHeaders } from './shared-headers.ts';
import type { Node, OpenApi, Operation } from './types.ts';

export function describeApi(collected: OpenApi, webhooks: OpenApi['webhooks']): OpenApi {
  const document = structuredClone(collected);
  if (webhooks) document.webhooks = webhooks;
  document.components.headers = sharedHeaders;
  for (const path of Object.values(document.paths))
    for (const operation of Object.values(path)) finish(operation);
  return hoistSchemas(document);
}

function finish(operation: Operation): void {
  for (const parameter of operation.parameters ?? []) {
    parameter.schema = documented(parameter.schema);
    // Each pair of an object is a separate parameter, such as `metadata[order]=7`.
    if (parameter.schema.type === 'object') Object.assign(parameter, { style: 'deepObject', explode: true });
  }
  const { requestBody } = operation;
  for (const { schema } of Object.values(requestBody?.content ?? {})) {
    if (schema.properties) schema.properties = mapValues(schema.properties, documented);
    if (requestBody && mayBeLeftOut(schema)) {
      schema.type = 'object';
      requestBody.required = false;
    }
  }
  for (const [status, response] of Object.entries(operation.responses)) addHeaders(Number(status), response);
}

/** Replaces a schema with the one to document. Numbers in a query, for instance, arrive as text. */
function documented({ 'x-documented': instead, ...schema }: Node): Node {
  return typeof instead === 'object' && instead !== null ? (instead as Node) : schema;
}

function mapValues(record: Record<string, Node>, change: (value: Node) => Node): Record<string, Node> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
