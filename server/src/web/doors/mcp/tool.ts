import type { CallToolResult, Tool as ToolDefinition } from '@modelcontextprotocol/server';
import type { FastifyReply } from 'fastify';
import type { ApiKey } from '../../../accounts/key-store.ts';

export interface Caller {
  key: ApiKey;
  requestId: string;
  reply: FastifyReply;
  /** Called once the reply names the tool's jobs, or the tool has ended without any. */
  named(): void;
  /** @throws AppError `invalid_request`, in the API's wording */
  check(schema: object, value: unknown): void;
}

/** A call of a tool. */
export interface ToolCall extends Caller {
  arguments: Record<string, unknown>;
  /** The id that the client gave the call. */
  id: string | number;
  /** Aborts when the client disconnects or cancels. The job continues. */
  signal: AbortSignal;
  /** Reports progress to clients that requested it. */
  report(progress: number, message: string): Promise<void>;
}

export interface Tool {
  name: string;
  /** Returns the definition for one key, with only the models that it may use. */
  define(key: ApiKey): Omit<ToolDefinition, 'name'>;
  run(call: ToolCall): Promise<CallToolResult>;
}

/** Returns structured content, and the same as text for clients that need text. */
export function structured(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}
