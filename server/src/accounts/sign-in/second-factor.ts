import { AppError } from '../../errors.ts';
import type { Viewer } from './sessions.ts';

/** The people who need an authenticator to sign in with a password. */
export const secondFactorPolicies = ['operators', 'everyone', 'nobody'] as const;
export type SecondFactorPolicy = (typeof secondFactorPolicies)[number];

/**
 * Whether a person must set up an authenticator. Only sessions opened with a password require one: one-time links come
 * from an operator or the terminal, and single sign-on has its own policy.
 */
export function owesAuthenticator(
  policy: SecondFactorPolicy,
  { via, operator, hasAuthenticator }: Pick<Viewer, 'via' | 'operator' | 'hasAuthenticator'>,
): boolean {
  if (via !== 'password' || hasAuthenticator) return false;
  return policy === 'everyone' || (policy === 'operators' && operator);
}

export function assertSecondFactor(policy: SecondFactorPolicy, viewer: Viewer): void {
  if (!owesAuthenticator(policy, viewer)) return;
  throw new AppError(
    'second_factor_required',
    'A password alone is not enough here: set up an authenticator in your profile first.',
  );
}
