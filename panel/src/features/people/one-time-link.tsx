import type { Invitation } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { CodeBlock } from '../../ui/code-block.tsx';
import { RelativeTime, useIsPast } from '../../ui/time.tsx';

export function OneTimeLink({ invitation, onDone }: { invitation: Invitation; onDone: () => void }) {
  const isPast = useIsPast(invitation.expires_at);
  const time = <RelativeTime at={invitation.expires_at} beside />;
  return (
    <>
      <p>Copy this link now: it is shown only once, and it can be used once.</p>
      <CodeBlock code={invitation.url} what="link" wrap />
      <p className="small soft">{isPast ? <>It expired {time}</> : <>It expires {time}</>}</p>
      <div>
        <Button onClick={onDone}>Done</Button>
      </div>
    </>
  );
}
