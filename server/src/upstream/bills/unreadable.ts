import { AppError } from '../../errors.ts';

/** Of the file of a bill: what it has or lacks. */
export function unreadable(detail: string): AppError {
  return new AppError('invalid_request', `The file ${detail}.`, {
    errors: [{ pointer: '/file', detail: `${detail}.` }],
  });
}
