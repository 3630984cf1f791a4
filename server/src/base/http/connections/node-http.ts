import type * as http from 'node:http';

/**
 * The values of `node:http`. Importing the module would evaluate all its exports, and so load Node's
 * WebSocket client, which takes 20 ms of processor time at each start.
 */
export const { IncomingMessage, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
export type IncomingMessage = http.IncomingMessage;
export type ServerResponse = http.ServerResponse;
