import { createGuard } from '../src/base/guard/guard.ts';
import type { Route } from '../src/jobs/routes/route.ts';
import { allRatios, type ModelId, resolutions } from '../src/upstream/catalog/models.ts';
import { specifiedIds as modelIds } from '../src/upstream/catalog/specified-models.ts';
import { jsonBody } from '../src/upstream/providers/body.ts';
import { pickText } from '../src/upstream/providers/pick.ts';
import type { Provider } from '../src/upstream/providers/provider.ts';
import { createUpstream } from '../src/upstream/providers/upstream.ts';

/** What the stub answers for a model: an image that is not decoded, an image that is, or a job to poll. */
export const stubStyles = { nb: 'plain', nb2: 'decoded', pro: 'resumable' } as const satisfies Record<
  ModelId,
  string
>;

// The timeout is shorter than a lease, so that an upstream that hangs costs an attempt and not a worker.
const timeoutMs = 8_000;
// Dead workers occupy slots until their leases end. With this many slots, they never block other jobs.
const slots = 400;

/** Two routes for each model, as operators would have. While one pauses after failures, the other works. */
export const routeNames = ['stub', 'spare'] as const;

export function stubRoutes(url: string): Route[] {
  return modelIds.flatMap((model) =>
    routeNames.map((name) => {
      const provider = createStubProvider(url, stubStyles[model]);
      return { id: `${model}/${name}`, model, provider, slots, timeoutMs };
    }),
  );
}

const guard = createGuard({ allowNetworks: [] });

function createStubProvider(url: string, style: 'plain' | 'decoded' | 'resumable'): Provider {
  const upstream = createUpstream(guard);

  return {
    id: 'stub',
    model: `stub-${style}`,
    capabilities: {
      ratios: [...allRatios],
      resolutions: [...resolutions],
      maxInputs: 14,
      resumable: style === 'resumable',
      exact: style === 'plain',
    },
    takesField: () => false,
    async generate(request, { signal, attempt, remoteId, onSubmitted }) {
      const { jobId, prompt, width, height } = request;
      const ask = async (path: string, body: object) => {
        const answer = await upstream.call({
          method: 'POST',
          url: `${url}${path}`,
          body: jsonBody(body),
          signal,
        });
        if (!answer.ok) throw upstream.refusal(answer);
        return answer;
      };
      const size = { jobId, prompt, attempt, width, height, pid: process.pid };
      if (style !== 'resumable') return { bytes: (await ask('/make', size)).bytes };
      const id = remoteId ?? pickText((await ask('/submit', size)).json(), 'id') ?? '';
      if (!remoteId) await onSubmitted(id);
      return { bytes: (await ask(`/collect/${id}`, size)).bytes };
    },
    check: async () => ({ ok: true }),
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}
