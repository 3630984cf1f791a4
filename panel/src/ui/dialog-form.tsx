import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ProblemAlert } from './problem-alert.tsx';

/** What a dialog asks for: what the server refused, the fields, and the buttons that end it. */
export function DialogForm(props: {
  /** The words on the button that sends it. */
  action: string;
  sending: { error: unknown; isPending: boolean };
  onSubmit: () => void;
  onClose: () => void;
  /** Another button, at the far end. */
  other?: ReactNode;
  children: ReactNode;
}) {
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      <ProblemAlert error={props.sending.error} />
      {props.children}
      <div className="row">
        <Button type="submit" loading={props.sending.isPending}>
          {props.action}
        </Button>
        <Button variant="default" onClick={props.onClose}>
          Cancel
        </Button>
        {props.other}
      </div>
    </form>
  );
}
