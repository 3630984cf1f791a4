import { AppError } from '../../errors.ts';

/** The error for a call about an erased account. The database itself also refuses to change such an account. */
export function accountErased(id: string): AppError {
  return new AppError('invalid_request', `The account ${id} was erased, for good. Create a new one.`);
}
