import type { DeliveryAttemptRow } from '@darkroom/server/panel-contract';
import { CodeBlock } from '../../ui/code-block.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { duration, RelativeTime } from '../../ui/time.tsx';
import { failureText } from './failure-text.ts';

export function AttemptList({ attempts }: { attempts: DeliveryAttemptRow[] }) {
  if (attempts.length === 0) return <p className="soft small">No attempt yet.</p>;
  return (
    <ol className="stack tight">
      {attempts.map((attempt) => (
        <li key={attempt.attempt} className="card padded small">
          <Attempt attempt={attempt} />
        </li>
      ))}
    </ol>
  );
}

export function Attempt({ attempt }: { attempt: DeliveryAttemptRow }) {
  return (
    <div className="stack tight">
      <p className="row">
        <StatusBadge status={attempt.failure === null ? 'delivered' : 'failed'} />
        {attempt.status !== null && <code>{attempt.status}</code>}
        {attempt.failure && <span>{failureText(attempt.failure)}</span>}
        <span className="soft">
          attempt {attempt.attempt}
          {` · ${duration(attempt.duration_ms)} · `}
          <RelativeTime at={attempt.at} beside />
        </span>
      </p>
      {attempt.answer ? <CodeBlock code={attempt.answer} what="answer" wrap /> : null}
    </div>
  );
}
