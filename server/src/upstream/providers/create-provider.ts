import type { Guard } from '../../base/guard/guard.ts';
import { SettingError } from '../../errors.ts';
import { CredentialsWithheld, credentialsFor, type Given, withheldAt } from './given-credentials.ts';
import type { Provider } from './provider.ts';
import { type CredentialsOf, type ProviderChoice, type ProviderKind, providers } from './providers.ts';

/**
 * Creates a provider without connecting.
 * @throws SettingError, or CredentialsWithheld if the credentials were given for another address
 */
export function createProvider<Chosen extends ProviderKind>(
  { provider, settings }: ProviderChoice<Chosen>,
  given: readonly Given<CredentialsOf[Chosen]>[],
  guard: Guard,
): Provider {
  const { create } = providers[provider];
  const address = 'baseUrl' in settings ? settings.baseUrl : undefined;
  const credentials = credentialsFor(provider, address, given);
  const isWithheld = credentials === undefined && given.some(({ credentials: own }) => holdsAny(own));
  if (!isWithheld || address === undefined) return create(settings, credentials ?? {}, guard);
  const sentence = withheldAt(address);
  try {
    const made = create(settings, {}, guard);
    return { ...made, warnings: [...(made.warnings ?? []), `The ${sentence}.`] };
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new CredentialsWithheld(`${error.message}; ${sentence}`, { cause: error });
  }
}

function holdsAny(credentials: object): boolean {
  return Object.values(credentials).some((one) => one !== undefined);
}
