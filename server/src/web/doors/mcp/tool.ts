import type { CallToolResult, Tool as ToolDefinition } from '@modelcontextprotocol/server';
import type { FastifyReply } from 'fastify';
import type { ApiKey } from '../../../accounts/key-store.ts';

/** The request that calls a tool. */
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
  /** Aborts when the client leaves or cancels. Its job continues. */
  signal: AbortSignal;
  /** Reports progress to a client that asked for it; does nothing for others. */
  report(progress: number, message: string): Promise<void>;
}

export interface Tool {
  name: string;
  /** The definition for one key: it names only models that the key may use. */
  define(key: ApiKey): Omit<ToolDefinition, 'name'>;
  run(call: ToolCall): Promise<CallToolResult>;
}

/** Structured content, with the same as text for clients that read only text. */
export function structured(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}
