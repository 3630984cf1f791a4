import { AppError } from '../../errors.ts';

/** Gives the same answer for every cause, so that it does not help guessing. */
export function refusal(cause?: unknown): AppError {
  return new AppError('sign_in_refused', 'E-mail, password or code are not right.', {}, { cause });
}
