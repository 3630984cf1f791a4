import { AppError } from '../../errors.ts';

/** The error for an unreadable bill. `detail` says what is wrong with the file. */
export function unreadable(detail: string): AppError {
  return new AppError('invalid_request', `The file ${detail}.`, {
    errors: [{ pointer: '/file', detail: `${detail}.` }],
  });
}
