import type { Captcha } from '../../accounts/captcha/captcha.ts';
import type { Auth } from '../../accounts/sign-in/auth.ts';
import type { AuthenticatorSeals } from '../../accounts/sign-in/authenticator-seals.ts';
import type { Seals } from '../../accounts/sign-in/seals.ts';
import type { SecondFactorPolicy } from '../../accounts/sign-in/second-factor.ts';
import type { OwnAccountDeps } from '../../accounts/sign-up/open-own-account.ts';
import type { LiveBrand } from '../../base/brand/live-brand.ts';
import type { Log } from '../../base/std/log.ts';
import type { Config } from '../../config/config.ts';
import type { ScreenDeps } from '../api/screens/screens.ts';

export type PanelDeps = ScreenDeps &
  OwnAccountDeps & {
    installation: Installation;
    /** Checks strangers' forms; null if they need no check. */
    captcha: Captcha | null;
    log: Log;
    auth(): Promise<Auth>;
    oidcAuth(): Promise<Auth>;
    /** Makes the next call of `oidcAuth` create its instance again. */
    forgetOidcAuth(): void;
    seals: Seals;
    authenticators: AuthenticatorSeals;
    publicUrl(): string;
    brand: Pick<LiveBrand, 'now'>;
  };

interface Installation {
  currency: string;
  settings: Config['settings'];
  secondFactor: SecondFactorPolicy;
  oidc: { name: string } | null;
  /** Whether emails with links to the panel can be sent. */
  mailsLinks: boolean;
}
