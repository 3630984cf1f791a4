import type { Health } from '../../upstream/providers/provider.ts';
import type { Route } from './route.ts';

// The time without an answer after which a provider is unhealthy.
const checkTimeoutMs = 15_000;

/** Checks with a free request whether a provider works. Never throws. */
export async function checkRoute({ provider }: Route): Promise<Health> {
  return provider.check(AbortSignal.timeout(checkTimeoutMs)).catch((error: unknown) => ({
    ok: false,
    detail: error instanceof Error ? error.message : String(error),
  }));
}
