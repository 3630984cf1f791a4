import { AppError } from '../../errors.ts';
import { isCommonPassword } from './common-password.ts';

export const minPasswordLength = 10;
// scrypt hashes the whole text, so a limit on the length bounds the work.
export const maxPasswordLength = 200;

/** Loads scrypt on use, because passwords are rarely set. @throws AppError `invalid_request` */
export async function hashNewPassword(
  password: string,
  { name, email }: { name: string; email: string | null },
): Promise<string> {
  if (password.length < minPasswordLength || password.length > maxPasswordLength)
    throw passwordRefused(`must have ${minPasswordLength} to ${maxPasswordLength} characters.`);
  if (await isCommonPassword(password, ['darkroom', ...partsOf(name, ' '), ...partsOf(email ?? '', '@')]))
    throw passwordRefused(
      'is among the first that an attacker tries. Choose one that nobody else has, for example a few unrelated words.',
    );
  const { hashPassword } = await import('better-auth/crypto');
  return hashPassword(password);
}

export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const { hashPassword, verifyPassword } = await import('better-auth/crypto');
  if (hash !== null) return verifyPassword({ hash, password });
  await hashPassword(password.slice(0, maxPasswordLength)); // takes as long as a check against a stored password
  return false;
}

/** Returns the text, with and without its separators, and its parts. */
function partsOf(text: string, separator: string): string[] {
  const parts = text.split(separator);
  return [text, parts.join(''), ...parts, ...parts.flatMap((part) => part.split('.'))];
}

function passwordRefused(detail: string): AppError {
  return new AppError('invalid_request', `The password ${detail}`, {
    errors: [{ pointer: '/password', detail }],
  });
}
