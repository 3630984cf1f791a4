import { hoistSchemas } from './hoist-schemas.ts';
import { addHeaders, sharedHeaders } from './shared-headers.ts';
import type { Node, OpenApi, Operation } from './types.ts';
import { webhookDescriptions } from './webhook-descriptions.ts';

/** What generators and validators read: shared schemas by their names, and the headers of every answer. */
export function describeApi(collected: OpenApi): OpenApi {
  const document = structuredClone(collected);
  document.webhooks = webhookDescriptions;
  document.components.headers = sharedHeaders;
  for (const path of Object.values(document.paths))
    for (const operation of Object.values(path)) finish(operation);
  return hoistSchemas(document);
}

function finish(operation: Operation): void {
  for (const parameter of operation.parameters ?? []) parameter.schema = documented(parameter.schema);
  for (const [status, response] of Object.entries(operation.responses)) addHeaders(Number(status), response);
}

/** All of a query is text to us; clients may think of numbers. */
function documented({ 'x-documented': instead, ...schema }: Node): Node {
  return typeof instead === 'object' && instead !== null ? (instead as Node) : schema;
}
