import { AppError } from '../../errors.ts';

export const maxEmailLength = 254;
const pattern = /^[a-z0-9_+-]+(\.[a-z0-9_+-]+)*@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/;

/** @throws AppError `invalid_request` */
export function parseEmail(text: string): string {
  const email = spellEmail(text);
  if (email.length <= maxEmailLength && pattern.test(email)) return email;
  const detail = 'must be an email address such as ada@example.com.';
  throw new AppError('invalid_request', `The email ${detail}`, { errors: [{ pointer: '/email', detail }] });
}

export function spellEmail(text: string): string {
  return text.trim().toLowerCase();
}

export function emailTaken(): AppError {
  const detail = 'is used by another person.';
  return new AppError('invalid_request', `The email ${detail}`, { errors: [{ pointer: '/email', detail }] });
}
