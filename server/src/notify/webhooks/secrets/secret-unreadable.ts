import { AppError } from '../../../errors.ts';

export function secretUnreadable(): AppError {
  return new AppError(
    'webhook_secret_unreadable',
    'The webhook secret of this account was sealed under a secret that this installation no longer has. ' +
      'Rotate it, or ask an operator to restore the old secret.',
  );
}
