import type * as http from 'node:http';

/**
 * Of `node:http`, to import values from. An `import` of the module itself reads everything that it exports, and so loads Node's own
 * client of WebSockets: 20 ms of processor time at each start.
 */
export const { IncomingMessage, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
export type IncomingMessage = http.IncomingMessage;
export type ServerResponse = http.ServerResponse;
