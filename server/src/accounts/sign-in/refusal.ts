import { AppError } from '../../errors.ts';

/** Returns the same error for every cause, so that the error does not help guessing. */
export function refusal(cause?: unknown): AppError {
  return new AppError('sign_in_refused', 'E-mail, password or code are not right.', {}, { cause });
}
