import { TextInput, type TextInputProps } from '@mantine/core';

/** The email address with which people sign in. */
export function EmailField(props: TextInputProps) {
  return <TextInput label="E-mail" type="email" autoComplete="username" withAsterisk={false} {...props} />;
}
