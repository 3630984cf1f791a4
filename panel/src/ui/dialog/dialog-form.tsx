import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Form } from '../form/form.tsx';
import classes from './dialog-form.module.css';

export function DialogForm(props: {
  action: string;
  sending: { error: unknown; isPending: boolean };
  onSubmit: () => void;
  onClose: () => void;
  /** Another button, at the far end. */
  other?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Form noValidate error={props.sending.error} onSubmit={props.onSubmit}>
      {props.children}
      <div className={`row ${classes.foot}`}>
        <Button type="submit" loading={props.sending.isPending}>
          {props.action}
        </Button>
        <Button variant="default" onClick={props.onClose}>
          Cancel
        </Button>
        {props.other}
      </div>
    </Form>
  );
}
