import type { ReactNode } from 'react';
import { ProblemAlert } from '../problem-alert.tsx';

/** A form that the page itself sends. The server's error is above the fields. */
export function Form(props: {
  error?: unknown;
  onSubmit: () => void;
  /** The page, not the browser, checks the fields. */
  noValidate?: boolean;
  children: ReactNode;
}) {
  return (
    <form
      className="stack"
      noValidate={props.noValidate}
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      <ProblemAlert error={props.error} />
      {props.children}
    </form>
  );
}
