import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { t } from '../../languages/words.ts';

/** A password, with a button that shows it and that the keyboard reaches. */
export function PasswordField(props: PasswordInputProps) {
  return (
    <PasswordInput
      visibilityToggleButtonProps={{ 'aria-label': t('Show password'), tabIndex: 0 }}
      {...props}
    />
  );
}
