import type { Database } from '../../base/db/database.ts';
import type { Log } from '../../base/std/log.ts';
import { loadOnce } from '../../base/std/memory/load-once.ts';
import type { Auth } from './auth.ts';
import type { AuthKeys } from './auth-keys.ts';
import type { OidcSettings } from './oidc-settings.ts';

export interface OpenAuth {
  auth(): Promise<Auth>;
  /** A separate instance, because an unreachable identity provider must not block sign-in with a password. */
  oidcAuth(): Promise<Auth>;
  /** Makes the next `oidcAuth` load the instance again. */
  forgetOidcAuth(): void;
}

/** Loads the sign-in library when the first session needs it, because loading takes a quarter of a second and 30 MB. */
export function openAuth({
  publicUrl,
  oidc,
  ...deps
}: {
  database: Database;
  log: Log;
  publicUrl(): string;
  keys: AuthKeys;
  oidc: OidcSettings | null;
}): OpenAuth {
  const load = async (provider: OidcSettings | null): Promise<Auth> => {
    const { createAuth } = await import('./auth.ts');
    return createAuth({ ...deps, publicUrl: publicUrl(), oidc: provider });
  };
  const oidcAuth = loadOnce(() => load(oidc));
  return {
    auth: loadOnce(() => load(null)),
    oidcAuth,
    forgetOidcAuth: () => void oidcAuth.forget(),
  };
}
