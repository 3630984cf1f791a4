import { type ReactNode, useState } from 'react';
import { ActionButton } from '../action-button.tsx';
import { Confirm } from './confirm.tsx';

/** A button that asks for confirmation. Its action usually removes the button, with its row or page. */
export function ConfirmButton(props: {
  label: string;
  /** The label for screen readers, which names the object of the action. */
  name: string;
  /** The default fits a table's row. */
  size?: 'xs' | 'sm' | undefined;
  why?: string | undefined;
  title: string;
  action: string;
  sending: { error: unknown; isPending: boolean; reset: () => void };
  onConfirm: () => void;
  children: ReactNode;
}) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <ActionButton
        size={props.size ?? 'compact-sm'}
        variant="default"
        aria-label={props.name}
        why={props.why}
        onClick={() => setAsking(true)}
      >
        {props.label}
      </ActionButton>
      <Confirm
        title={props.title}
        opened={asking}
        onClose={() => {
          setAsking(false);
          props.sending.reset();
        }}
        action={props.action}
        error={props.sending.error}
        pending={props.sending.isPending}
        onConfirm={props.onConfirm}
      >
        {props.children}
      </Confirm>
    </>
  );
}
