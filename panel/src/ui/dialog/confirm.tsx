import { Button } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { ActionButton } from '../action-button.tsx';
import { ProblemAlert } from '../problem-alert.tsx';
import { Dialog } from './dialog.tsx';

export function Confirm(props: {
  title: string;
  opened: boolean;
  onClose: () => void;
  /** The button's label: the verb, not "OK". */
  action: string;
  /** Why the action is impossible; undefined if it is possible. */
  why?: string | undefined;
  error?: unknown;
  pending: boolean;
  onConfirm: () => void;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <Dialog title={props.title} opened={props.opened} onClose={props.onClose}>
      <p id={id}>{props.why ?? props.children}</p>
      <ProblemAlert error={props.error} />
      <div className="row">
        {props.why ? (
          <ActionButton why={props.why}>{props.action}</ActionButton>
        ) : (
          <Button
            color="failure"
            loading={props.pending}
            aria-describedby={id}
            // Ignores the second click of a double click, which comes before the first request shows as pending.
            onClick={({ detail }) => detail < 2 && props.onConfirm()}
          >
            {props.action}
          </Button>
        )}
        <Button variant="default" onClick={props.onClose}>
          Keep
        </Button>
      </div>
    </Dialog>
  );
}
