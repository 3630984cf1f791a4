import { AppError } from '../../errors.ts';

/** Whatever is wrong, the answer is the same. */
export function refusal(cause?: unknown): AppError {
  return new AppError('sign_in_refused', 'E-mail, password or code are not right.', {}, { cause });
}
