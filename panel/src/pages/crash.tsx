import { Plain } from '../ui/plain.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

/** When a page cannot be shown at all. */
export function CrashPage({ error }: { error: unknown }) {
  return (
    <Plain title="This page could not be shown">
      <ProblemAlert error={error} retry={() => location.reload()} />
    </Plain>
  );
}
