import { Button, Popover } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useState } from 'react';
import classes from './choice-chip.module.css';

/** A button that shows the current choice in a few words and opens the alternatives. */
export function ChoiceChip(props: { name: string; value: string; icon?: ReactNode; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  // A mouse click or tap chooses and closes the popover. An arrow key also causes a click, which must not close it.
  const onClick = ({ target, detail }: MouseEvent) => {
    if (detail > 0 && isRadio(target)) setOpen(false);
  };
  const onKeyDown = ({ target, key }: KeyboardEvent) => {
    if (key === 'Enter' && isRadio(target)) setOpen(false);
  };
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" width={width} trapFocus returnFocus>
      <Popover.Target>
        <Button
          className={classes.chip}
          variant="default"
          size="xs"
          aria-label={`${props.name}: ${props.value}`}
          leftSection={props.icon}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          onClick={() => setOpen(!open)}
        >
          {props.value}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.choices} onClick={onClick} onKeyDown={onKeyDown}>
        {props.children}
      </Popover.Dropdown>
    </Popover>
  );
}

const width = 360;

function isRadio(target: EventTarget): boolean {
  return target instanceof HTMLInputElement && target.type === 'radio';
}
