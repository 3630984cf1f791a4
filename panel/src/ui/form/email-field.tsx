import { TextInput, type TextInputProps } from '@mantine/core';

export function EmailField(props: TextInputProps) {
  return <TextInput label="E-mail" type="email" autoComplete="username" withAsterisk={false} {...props} />;
}
