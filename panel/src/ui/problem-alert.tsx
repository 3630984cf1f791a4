import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { problemOf } from '../api/problem.ts';
import { told } from '../languages/words.ts';
import { CopyButton } from './copy.tsx';
import { Notice } from './notice.tsx';

/** The server's error, with the request id to look for in the log. */
export function ProblemAlert({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  if (!error) return null;
  const problem = problemOf(error);
  // Leaves out field errors that only repeat the end of the sentence.
  const fields = (problem.errors ?? []).filter(({ detail }) => !problem.detail.endsWith(detail));
  return (
    <Notice tone="bad" title={told(problem.title)} alert>
      <p>{told(problem.detail)}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map((field) => (
            <li key={field.pointer + field.detail}>
              <code>{field.pointer}</code> {field.detail}
            </li>
          ))}
        </ul>
      )}
      <div className="row tiny soft">
        {problem.request_id !== '' && (
          <span className="row" style={{ gap: 4 }}>
            Request <code>{problem.request_id}</code>
            <CopyButton text={problem.request_id} what="request id" />
          </span>
        )}
        {retry && (
          <Button size="compact-xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </div>
    </Notice>
  );
}

interface Loaded<Data> {
  data: Data | undefined;
  error: unknown;
  refetch: () => unknown;
}

export function Await<Data>(props: {
  query: Loaded<Data>;
  wait?: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch } = props.query;
  if (data !== undefined) return props.children(data);
  if (error) return <ProblemAlert error={error} retry={refetch} />;
  return props.wait ?? null;
}
