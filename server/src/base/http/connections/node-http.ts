import type * as http from 'node:http';

/** The values of `node:http`. An `import` would also load Node's WebSocket client, which takes 20 ms at each start. */
export const { IncomingMessage, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
export type IncomingMessage = http.IncomingMessage;
export type ServerResponse = http.ServerResponse;
