import { Button, Popover, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';

export function TagPopover(props: {
  opened: boolean;
  onChange: (opened: boolean) => void;
  onTag: (tag: string) => void;
  children: ReactElement;
}) {
  const [tag, setTag] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (tag.trim() === '') return;
    props.onTag(tag.trim());
    setTag('');
    props.onChange(false);
  };
  return (
    <Popover opened={props.opened} onChange={props.onChange} position="top" trapFocus returnFocus>
      <Popover.Target>{props.children}</Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit} className="row">
          <TextInput
            aria-label="Tag"
            placeholder="campaign-7"
            maxLength={64}
            value={tag}
            onChange={(event) => setTag(event.currentTarget.value)}
          />
          <Button type="submit">Add tag</Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
