import { TextInput } from '@mantine/core';

export interface Names {
  name: string;
  id: string;
}

/** The id follows the name until the user edits the id. */
export function ModelNames(props: {
  names: Names;
  errors: Record<string, string>;
  onChange: (names: Names) => void;
}) {
  const { names, errors, onChange } = props;
  const rename = (name: string) =>
    onChange({ name, id: names.id === slugOf(names.name) ? slugOf(name) : names.id });
  return (
    <>
      <TextInput
        label="Name"
        maxLength={100}
        value={names.name}
        error={errors['/name']}
        onChange={(event) => rename(event.currentTarget.value)}
      />
      <TextInput
        label="Id"
        description={`Programs use it as /api/v1/${names.id || '…'}/text-generations; it stays.`}
        maxLength={40}
        value={names.id}
        error={errors['/id']}
        onChange={(event) => onChange({ ...names, id: event.currentTarget.value })}
      />
    </>
  );
}

export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 40);
}
