import { Button } from '@mantine/core';
import { Notice } from '../../ui/notice.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';

export function MakeProblem({ make }: { make: { error: unknown; isKept: boolean; giveUp: () => void } }) {
  if (!make.isKept) return <ProblemAlert error={make.error} />;
  return (
    <Notice tone="warn" title="Server away, your prompt is kept" alert>
      <p>It is sent again by itself when the server is back, and made once.</p>
      <div className="row">
        <Button size="compact-xs" variant="default" onClick={make.giveUp}>
          Do not send it
        </Button>
      </div>
    </Notice>
  );
}
