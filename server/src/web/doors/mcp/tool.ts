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

export interface ToolCall extends Caller {
  arguments: Record<string, unknown>;
  id: string | number;
  /** Aborts when the client disconnects or cancels. The job continues. */
  signal: AbortSignal;
  /** Reports progress to clients that requested it. */
  report(progress: number, message: string): Promise<void>;
}

export interface Tool {
  name: string;
  /** Offers only the models that the key may use. */
  define(key: ApiKey): Omit<ToolDefinition, 'name'>;
  run(call: ToolCall): Promise<CallToolResult>;
}

/** Adds text for clients that do not read structured content. */
export function structured(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}
