import { AppError } from '../../errors.ts';

/** The same error for every cause, because a specific one would help guessing. */
export function refusal(cause?: unknown): AppError {
  return new AppError('sign_in_refused', 'The email, password or code is wrong.', {}, { cause });
}
