import { isUnreachable } from '../api/problem.ts';
import { useOnceBack } from '../api/reachable.ts';
import { t } from '../languages/words.ts';
import { Page } from '../ui/page.tsx';
import { Plain } from '../ui/plain.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

export function CrashPage({ error }: { error: unknown }) {
  return (
    <Plain title={titleOf(error)}>
      <What error={error} />
    </Plain>
  );
}

/** Shows a page's error inside the usual frame, because other pages still work. */
export function BrokenPage({ error }: { error: unknown }) {
  return (
    <Page title={titleOf(error)}>
      <What error={error} />
    </Page>
  );
}

function titleOf(error: unknown): string {
  return isUnreachable(error) ? t('Server away') : t('This page could not be shown');
}

function What({ error }: { error: unknown }) {
  return isUnreachable(error) ? <Away /> : <ProblemAlert error={error} retry={reload} />;
}

const reload = () => location.reload();

function Away() {
  useOnceBack(reload);
  return (
    <p className="soft" role="status">
      This page opens by itself when the server is back. What you wrote is kept.
    </p>
  );
}
