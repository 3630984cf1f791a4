import type { ReactNode } from 'react';
import { ProblemAlert } from '../problem-alert.tsx';

/** Shows the server's error above the fields. */
export function Form(props: {
  error?: unknown;
  onSubmit: () => void;
  /** True if the page checks the fields itself. */
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
