import { TextInput, type TextInputProps } from '@mantine/core';

/** An email address, by which people sign in. */
export function EmailField(props: TextInputProps) {
  return <TextInput label="E-mail" type="email" autoComplete="username" withAsterisk={false} {...props} />;
}
