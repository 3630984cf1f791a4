export type Node = Record<string, unknown>;

export interface Response {
  description: string;
  headers?: Record<string, Node>;
  content?: Record<string, { schema: Node }>;
}

export interface Operation {
  parameters?: { in: string; name: string; schema: Node }[];
  requestBody?: {
    required?: boolean;
    content: Record<string, { schema: { type?: unknown; properties?: Record<string, Node> } }>;
  };
  responses: Record<string, Response>;
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Node;
  components: { schemas: Record<string, Node>; headers?: Record<string, Node> };
}
