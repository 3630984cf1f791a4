import type { CallToolResult, Tool as ToolDefinition } from '@modelcontextprotocol/server';
import type { FastifyReply } from 'fastify';
import type { ApiKey } from '../../../accounts/key-store.ts';

/** The request in which a tool is called. */
export interface Caller {
  key: ApiKey;
  requestId: string;
  reply: FastifyReply;
  /** Called once the reply names the jobs of a tool, or the tool has ended without any. */
  named(): void;
  /** @throws AppError `invalid_request` in the words of the API */
  check(schema: object, value: unknown): void;
}

/** One call of a tool. */
export interface ToolCall extends Caller {
  arguments: Record<string, unknown>;
  /** The id that the client gave the call. */
  id: string | number;
  /** Aborts when the client leaves or cancels. A job that it created goes on. */
  signal: AbortSignal;
  /** Tells a client that asked for progress how far the call is; does nothing for others. */
  report(progress: number, message: string): Promise<void>;
}

export interface Tool {
  name: string;
  /** The definition for one key: it names only models that the key may use. */
  define(key: ApiKey): Omit<ToolDefinition, 'name'>;
  run(call: ToolCall): Promise<CallToolResult>;
}

/** Structured content, and the same as text for clients that read nothing else. */
export function structured(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}
