import { AppError } from '../../errors.ts';

/** What was erased never comes back; the database keeps it so as well. */
export function accountErased(id: string): AppError {
  return new AppError('invalid_request', `The account ${id} was erased, for good. Make a new one.`);
}
