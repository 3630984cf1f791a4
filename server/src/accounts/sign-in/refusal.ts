import { AppError } from '../../errors.ts';

/** Returns the same error for every cause, so that the error does not help guessing. */
export function refusal(cause?: unknown): AppError {
  return new AppError('sign_in_refused', 'The email, password or code is wrong.', {}, { cause });
}
