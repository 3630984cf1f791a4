import { AppError } from '../../errors.ts';

export function unreadable(detail: string): AppError {
  return new AppError('invalid_request', `The file ${detail}.`, {
    errors: [{ pointer: '/file', detail: `${detail}.` }],
  });
}
