import { type Health, ProviderError } from './provider.ts';

/** A probe that throws `ProviderError` is an answer too: not well, and why. */
export async function healthOf(probe: () => Promise<void>): Promise<Health> {
  try {
    await probe();
    return { ok: true };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { ok: false, detail: `${error.kind}: ${error.detail ?? error.message}` };
  }
}
