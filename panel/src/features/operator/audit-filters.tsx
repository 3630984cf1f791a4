import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { actionText } from './action-text.ts';
import classes from './audit-filters.module.css';

export type Search = Record<string, string | undefined>;

const none = { account_id: '', person_id: '', action: '', address: '', from: '', to: '' };

/** How long typing must pause before the search starts. */
const typingMs = 250;

export function AuditFilters(props: { search: Search; change: (some: Search) => void; filtered: boolean }) {
  const { search, change } = props;
  const choices = useRead('GET /admin/v1/audit/choices', {});
  const { accounts } = useSession();
  const people = choices.data?.people.map(({ person_id, name }) => ({ value: person_id, label: name }));
  const actions = choices.data?.actions.map((action) => ({ value: action, label: actionText(action) }));
  const owners = accounts.map(({ account_id, name }) => ({ value: account_id, label: name }));
  return (
    <search className={classes.filters} aria-label="Filter the audit log">
      <Choice name="person_id" label="Who" any="Anybody" options={people} {...props} />
      <Choice name="action" label="What" any="Any action" options={actions} {...props} />
      <Choice name="account_id" label="Account" any="Any account" options={owners} {...props} />
      <TextInput
        label="Since"
        type="date"
        value={search.from ?? ''}
        onChange={(event) => change({ from: event.currentTarget.value })}
      />
      <TextInput
        label="Until"
        type="date"
        value={search.to ?? ''}
        onChange={(event) => change({ to: event.currentTarget.value })}
      />
      <Address value={search.address ?? ''} change={change} />
      {props.filtered && (
        <Button variant="subtle" color="gray" onClick={() => change(none)}>
          Clear
        </Button>
      )}
    </search>
  );
}

function Choice(props: {
  name: string;
  label: string;
  any: string;
  options: { value: string; label: string }[] | undefined;
  search: Search;
  change: (some: Search) => void;
}) {
  const value = props.search[props.name] ?? '';
  const options = props.options ?? [];
  // Also offers the value in the URL, which may be missing from the options.
  const missing = value !== '' && !options.some((option) => option.value === value);
  return (
    <NativeSelect
      label={props.label}
      value={value}
      onChange={(event) => props.change({ [props.name]: event.currentTarget.value })}
      data={[{ value: '', label: props.any }, ...options, ...(missing ? [{ value, label: value }] : [])]}
    />
  );
}

function Address({ value, change }: { value: string; change: (some: Search) => void }) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
  const tell = useDebouncedCallback((address: string) => change({ address }), typingMs);
  return (
    <TextInput
      label="Address"
      placeholder="10.1. or 203.0.113.7"
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        tell(event.currentTarget.value.trim());
      }}
    />
  );
}
