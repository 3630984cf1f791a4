import type { Health } from '../providers/provider.ts';
import type { Route } from './route.ts';

// A provider that does not say in that time whether it is well is not.
const checkTimeoutMs = 15_000;

/** Asks the provider of a route whether it works, which costs nothing. Never throws. */
export async function checkRoute({ provider }: Route): Promise<Health> {
  return provider.check(AbortSignal.timeout(checkTimeoutMs)).catch((error: unknown) => ({
    ok: false,
    detail: error instanceof Error ? error.message : String(error),
  }));
}
