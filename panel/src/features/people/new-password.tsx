import { useRead } from '../../api/queries.ts';
import { PasswordField } from '../../ui/form/password-field.tsx';

/** A password that is set with a link, and the address for programs that keep passwords. */
export function NewPassword(props: { email: string; value: string; onChange: (value: string) => void }) {
  const minimum = useRead('GET /panel/sign-in', {}).data?.min_password_length;
  return (
    <>
      <input type="email" autoComplete="username" value={props.email} readOnly hidden />
      <PasswordField
        label="Password"
        description={minimum ? `At least ${minimum} characters` : undefined}
        autoComplete="new-password"
        required
        withAsterisk={false}
        {...(minimum && { minLength: minimum })}
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      />
    </>
  );
}
