import type { CallToolResult, Tool as ToolDefinition } from '@modelcontextprotocol/server';
import type { FastifyReply } from 'fastify';
import type { ApiKey } from '../../../accounts/key-store.ts';

export interface Caller {
  key: ApiKey;
  requestId: string;
  reply: FastifyReply;
  /** Called once the reply names the tool's jobs, or once the tool has ended without jobs. */
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
  /** Reports progress to a client that asked for it; does nothing for others. */
  report(progress: number, message: string): Promise<void>;
}

export interface Tool {
  name: string;
  /** Returns the definition for one key, which names only models that the key may use. */
  define(key: ApiKey): Omit<ToolDefinition, 'name'>;
  run(call: ToolCall): Promise<CallToolResult>;
}

/** Returns structured content, and the same as text for clients that read only text. */
export function structured(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}
