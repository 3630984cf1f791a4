import { AppError } from '../../errors.ts';

export const minPasswordLength = 10;
// scrypt reads all of it; more is no password.
export const maxPasswordLength = 200;

/** scrypt; loaded only when somebody sets a password. @throws AppError `invalid_request` */
export async function hashNewPassword(password: string): Promise<string> {
  if (password.length < minPasswordLength || password.length > maxPasswordLength) {
    const detail = `must have ${minPasswordLength} to ${maxPasswordLength} characters.`;
    throw new AppError('invalid_request', `The password ${detail}`, {
      errors: [{ pointer: '/password', detail }],
    });
  }
  const { hashPassword } = await import('better-auth/crypto');
  return hashPassword(password);
}

export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const { hashPassword, verifyPassword } = await import('better-auth/crypto');
  if (hash !== null) return verifyPassword({ hash, password });
  await hashPassword(password.slice(0, maxPasswordLength)); // as slow as if there were one
  return false;
}
