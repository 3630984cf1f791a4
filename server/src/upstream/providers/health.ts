import { type Health, ProviderError } from './provider.ts';

export async function healthOf(probe: () => Promise<void>): Promise<Health> {
  try {
    await probe();
    return { ok: true };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { ok: false, kind: error.kind, detail: `${error.kind}: ${error.detail ?? error.message}` };
  }
}
