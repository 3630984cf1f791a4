import { Plain } from '../ui/plain.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

/** Shown when a page throws an error. */
export function CrashPage({ error }: { error: unknown }) {
  return (
    <Plain title="This page could not be shown">
      <ProblemAlert error={error} retry={() => location.reload()} />
    </Plain>
  );
}
