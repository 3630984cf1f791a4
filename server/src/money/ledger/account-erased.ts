import { AppError } from '../../errors.ts';

/** The error for an erased account, which cannot be restored. The database refuses to change it as well. */
export function accountErased(id: string): AppError {
  return new AppError('invalid_request', `The account ${id} was erased, for good. Create a new one.`);
}
