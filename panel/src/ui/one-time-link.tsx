import { Button } from '@mantine/core';
import type { Invitation } from '../api/contract.ts';
import { CodeBlock } from './code-block.tsx';
import { RelativeTime } from './time.tsx';

export function OneTimeLink({ invitation, onDone }: { invitation: Invitation; onDone: () => void }) {
  return (
    <>
      <p>Hand this link over. It is shown now and never again, and it opens once.</p>
      <CodeBlock code={invitation.url} what="link" wrap />
      <p className="small soft">
        Ends <RelativeTime at={invitation.expires_at} beside />
      </p>
      <div>
        <Button onClick={onDone}>Done</Button>
      </div>
    </>
  );
}
