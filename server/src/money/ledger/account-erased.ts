import { AppError } from '../../errors.ts';

/** The error for an erased account, which nothing restores; the database refuses that as well. */
export function accountErased(id: string): AppError {
  return new AppError('invalid_request', `The account ${id} was erased, for good. Make a new one.`);
}
