import { SettingError } from '../../errors.ts';

export interface OidcSettings {
  /** The button's label. */
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** Reads the identity provider's settings; null if none are set. @throws SettingError if only some are set */
export function readOidc(env: Record<string, string | undefined>): OidcSettings | null {
  const issuer = env.DARKROOM_OIDC_ISSUER;
  const clientId = env.DARKROOM_OIDC_CLIENT_ID;
  const clientSecret = env.DARKROOM_OIDC_CLIENT_SECRET;
  if (!issuer && !clientId && !clientSecret) return null;
  if (!issuer || !clientId || !clientSecret) {
    throw new SettingError(
      'DARKROOM_OIDC_ISSUER, DARKROOM_OIDC_CLIENT_ID and DARKROOM_OIDC_CLIENT_SECRET must be set together.',
    );
  }
  if (!URL.canParse(issuer))
    throw new SettingError(
      `DARKROOM_OIDC_ISSUER is "${issuer}"; it must be an address such as https://id.example.com.`,
    );
  return { name: env.DARKROOM_OIDC_NAME || 'Single sign-on', issuer, clientId, clientSecret };
}
