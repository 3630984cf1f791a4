import { PasswordInput, type PasswordInputProps } from '@mantine/core';

/** A password, with a button that shows it and that the keyboard reaches. */
export function PasswordField(props: PasswordInputProps) {
  return (
    <PasswordInput visibilityToggleButtonProps={{ 'aria-label': 'Show password', tabIndex: 0 }} {...props} />
  );
}
