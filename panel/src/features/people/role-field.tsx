import { NativeSelect } from '@mantine/core';

const words: Record<string, string> = {
  owner: 'Everything in the account, and who may do what',
  developer: 'Makes pictures, keys and webhooks; sees the balance',
  billing: 'Sees balance, statements and usage; no pictures, no prompts',
  viewer: 'Sees everything, changes nothing',
  admin: 'Everything',
  support: 'Reads accounts and the installation; no pictures, no prompts, changes nothing',
};

/** What a person may do. */
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
      onChange={(event) => props.onChange(event.currentTarget.value as Role)} // one of the data
    />
  );
}

export function roleOption(role: string) {
  return { value: role, label: `${role.charAt(0).toUpperCase()}${role.slice(1)}` };
}
