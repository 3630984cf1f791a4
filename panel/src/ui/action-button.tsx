import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import { type ReactNode, useId } from 'react';

/** A button that can be focused even while disabled, and then says why. */
export function ActionButton(
  props: ButtonProps & {
    /** Why the button is disabled; undefined if it is enabled. */
    why?: string | undefined;
    onClick?: () => void;
    type?: 'button' | 'submit';
    /** A tooltip for the enabled button, in addition to its name. */
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
