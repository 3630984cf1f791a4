import type { AttemptCost } from './attempt-cost-store.ts';
import { notBilled } from './charge.ts';

export interface RouteSource {
  provider: string;
  upstreamModel: string | null;
  estimateMicros(resolution: string): bigint | null;
}

export type FindSource = (route: string) => RouteSource | undefined;

interface TakenJob {
  id: string;
  attempt: number;
  accountId: string;
  keyId: string;
  model: string;
  resolution: string;
  route: string | null;
  remoteId: string | null;
}

/** The cost of an attempt whose worker lost the job: not billed if the next one resumes its request, else unknown. */
export function costOfTaken(job: TakenJob, isResumed: boolean, find?: FindSource): AttemptCost {
  const { id: jobId, attempt, accountId, keyId, model, route } = job;
  const source = route === null ? undefined : find?.(route);
  return {
    ...{ jobId, attempt, accountId, keyId, model, route },
    ...{ provider: source?.provider ?? null, upstreamModel: source?.upstreamModel ?? null },
    ...notBilled,
    tookMs: null,
    ...(!isResumed && { billed: 'unknown' as const }),
    possibleMicros: source?.estimateMicros(job.resolution) ?? null,
  };
}
