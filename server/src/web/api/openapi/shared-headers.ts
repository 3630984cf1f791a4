import type { Node, Response } from './types.ts';

const seconds = { type: 'integer', minimum: 0 };

export const sharedHeaders: Record<string, Node> = {
  'X-Request-Id': {
    required: true,
    description: "Identifies the request in the server's log; also in every problem document.",
    schema: { type: 'string' },
  },
  'Cache-Control': {
    required: true,
    description: '`no-store`: the answer is only for this moment and this account.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'What is left of the rate limit that is nearest: `"key"` and `"key-minute"` are those of the key per second and minute, `"account"` and `"account-minute"` those of the account. `"key";r=19;t=1`: 19 requests left, more in 1 second. Absent without limits.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'The rate limits of the key and its account, if there are any: `"key";q=20;w=2`.',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': {
    required: true,
    description: '`Bearer`: how to authenticate.',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: seconds },
};

// The statuses of requests that could not be parsed and so reach no handler.
const beforeRouting: ReadonlySet<number> = new Set([400, 408, 431]);
const passing: ReadonlySet<number> = new Set([409, 429, 502, 503]);

export function addHeaders(status: number, response: Response): void {
  const names = [
    'X-Request-Id',
    ...(beforeRouting.has(status) ? [] : ['Cache-Control', 'RateLimit', 'RateLimit-Policy']),
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...(passing.has(status) ? ['Retry-After'] : []),
  ];
  response.headers = {
    ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...response.headers,
  };
}
