import type * as http from 'node:http';

/**
 * The values of `node:http`. An `import` of the module evaluates all its exports, and so loads Node's own WebSocket
 * client: 20 ms of processor time at each start.
 */
export const { IncomingMessage, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
export type IncomingMessage = http.IncomingMessage;
export type ServerResponse = http.ServerResponse;
