import { NativeSelect } from '@mantine/core';
import { t } from '../../languages/words.ts';

const words: Record<string, string> = {
  owner: t('Everything in the account, and who may do what'),
  developer: t('Makes images, keys and webhooks; sees the balance'),
  billing: t('Sees balance, statements and usage; no images, no prompts'),
  viewer: t('Sees everything, changes nothing'),
  admin: t('Everything'),
  support: t('Reads accounts and the installation; no images, no prompts, changes nothing'),
};

export function RoleField<Role extends string>(props: {
  role: Role;
  roles: readonly Role[];
  onChange: (role: Role) => void;
}) {
  return (
    <NativeSelect
      label="Role"
      description={words[props.role]}
      inputWrapperOrder={['label', 'input', 'description']}
      data={props.roles.map(roleOption)}
      value={props.role}
      onChange={(event) => props.onChange(event.currentTarget.value as Role)} // one of the options
    />
  );
}

const names: Record<string, string> = {
  owner: t('Owner'),
  developer: t('Developer'),
  billing: t('Billing'),
  viewer: t('Viewer'),
  admin: t('Admin'),
  support: t('Support'),
};

export function roleOption(role: string) {
  return { value: role, label: names[role] ?? role };
}
