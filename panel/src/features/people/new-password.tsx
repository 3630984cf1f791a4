import type { ChangeEvent } from 'react';
import { useRead } from '../../api/queries.ts';
import { PasswordField } from '../../ui/form/password-field.tsx';

export function NewPassword(props: {
  value: string;
  onChange: (event: ChangeEvent<HTMLInputElement>) => void;
  /** The email address for password managers, if no field contains it. */
  email?: string;
}) {
  const minimum = useRead('GET /panel/sign-in', {}).data?.min_password_length;
  return (
    <>
      {props.email !== undefined && (
        <input type="email" autoComplete="username" value={props.email} readOnly hidden />
      )}
      <PasswordField
        label="Password"
        description={minimum ? `At least ${minimum} characters` : undefined}
        autoComplete="new-password"
        required
        withAsterisk={false}
        {...(minimum && { minLength: minimum })}
        value={props.value}
        onChange={props.onChange}
      />
    </>
  );
}
