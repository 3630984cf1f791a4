import { AppError } from '../../errors.ts';

/** Every cause gives the same error, which does not help guessing. */
export function refusal(cause?: unknown): AppError {
  return new AppError('sign_in_refused', 'The email, password or code is wrong.', {}, { cause });
}
