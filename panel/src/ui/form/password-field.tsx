import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { t } from '../../languages/words.ts';

/** The keyboard reaches the button that shows the password. */
export function PasswordField(props: PasswordInputProps) {
  return (
    <PasswordInput
      visibilityToggleButtonProps={{ 'aria-label': t('Show password'), tabIndex: 0 }}
      {...props}
    />
  );
}
