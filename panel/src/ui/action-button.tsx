import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import { type ReactNode, useId } from 'react';

/** A button that stays focusable while disabled and says why. */
export function ActionButton(
  props: ButtonProps & {
    /** Why it is disabled; undefined when it is not. */
    why?: string | undefined;
    onClick?: () => void;
    type?: 'button' | 'submit';
    /** What it does beyond its name, where it is not disabled. */
    title?: string;
    'aria-label'?: string;
    'aria-expanded'?: boolean;
    children: ReactNode;
  },
) {
  const { why, onClick, children, title, ...rest } = props;
  const id = useId();
  if (!why) {
    return (
      <Button {...rest} title={title} onClick={onClick}>
        {children}
      </Button>
    );
  }
  return (
    <>
      <Tooltip label={why} multiline maw={280}>
        <Button
          {...rest}
          data-disabled
          aria-disabled="true"
          aria-describedby={id}
          onClick={(event) => event.preventDefault()}
        >
          {children}
        </Button>
      </Tooltip>
      <span id={id} className="sr-only">
        {why}
      </span>
    </>
  );
}
