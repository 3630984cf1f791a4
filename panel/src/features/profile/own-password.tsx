import type { Session } from '@darkroom/server/panel-contract';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { PasswordField } from '../../ui/form/password-field.tsx';

export function bodyOf(password: string): { current_password?: string } {
  return password === '' ? {} : { current_password: password };
}

/** Asks for the password again. The server requires people without a password to sign in again. */
export function OwnPassword(props: {
  session: Session;
  error: unknown;
  value: string;
  onChange: (password: string) => void;
}) {
  if (!props.session.has_password) return null;
  return (
    <PasswordField
      label="Your password"
      autoComplete="current-password"
      data-autofocus
      value={props.value}
      error={fieldErrors(props.error)['/current_password']}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  );
}
