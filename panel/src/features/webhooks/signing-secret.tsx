import type { WebhookSecret } from '@darkroom/server/panel-contract';
import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useSend } from '../../api/queries.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { RelativeTime, useIsPast } from '../../ui/time.tsx';
import { endpointReads } from './endpoint-form.tsx';

/** Shows the end of a signing secret; reveals or replaces it on demand. The id `default` is the default endpoint's. */
export function SigningSecret({ hint, endpointId }: { hint: string; endpointId: string }) {
  const params = { account_id: useAccountId(), endpoint_id: endpointId };
  const [secrets, setSecrets] = useState<WebhookSecret[]>();
  const [rotating, setRotating] = useState(false);
  const reveal = useSend('POST /api/v1/webhooks/:endpoint_id/reveal');
  return (
    <div className="stack tight">
      <div className="row">
        <code>{hint}</code>
        <Button
          size="compact-xs"
          variant="default"
          loading={reveal.isPending}
          onClick={() =>
            secrets
              ? setSecrets(undefined)
              : reveal.mutate({ params }, { onSuccess: (answer) => setSecrets(answer.secrets) })
          }
        >
          {secrets ? 'Hide' : 'Reveal'}
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => setRotating(true)}>
          Rotate
        </Button>
      </div>
      <ProblemAlert error={reveal.error} />
      {secrets?.map((one) => (
        <div key={one.secret} className="stack tight">
          <CodeBlock code={one.secret} what="signing secret" wrap />
          {one.expires_at && (
            <p className="tiny soft">
              <PreviousExpiry at={one.expires_at} />
            </p>
          )}
        </div>
      ))}
      <Rotate
        endpointId={endpointId}
        opened={rotating}
        onClose={() => setRotating(false)}
        onRotated={(now) => {
          setSecrets(now);
          setRotating(false);
        }}
      />
    </div>
  );
}

function Rotate(props: {
  endpointId: string;
  opened: boolean;
  onClose: () => void;
  onRotated: (secrets: WebhookSecret[]) => void;
}) {
  const params = { account_id: useAccountId(), endpoint_id: props.endpointId };
  const [leaked, setLeaked] = useState(false);
  const rotate = useSend('POST /api/v1/webhooks/:endpoint_id/rotate', endpointReads);
  const submit = () =>
    rotate.mutate({ params, body: { leaked } }, { onSuccess: (answer) => props.onRotated(answer.secrets) });
  return (
    <Dialog title="Rotate the signing secret" opened={props.opened} onClose={props.onClose}>
      <DialogForm action="Make a new secret" sending={rotate} onSubmit={submit} onClose={props.onClose}>
        <p>
          For a day, deliveries carry signatures of both secrets, so your receiver can change over without a
          gap.
        </p>
        <Checkbox
          label="The old secret has leaked"
          description="It stops working now, and receivers that still check it refuse deliveries."
          data-autofocus
          checked={leaked}
          onChange={(event) => setLeaked(event.currentTarget.checked)}
        />
      </DialogForm>
    </Dialog>
  );
}

function PreviousExpiry({ at }: { at: string }) {
  const time = <RelativeTime at={at} />;
  return useIsPast(at) ? <>Previous secret; expired {time}</> : <>Previous secret; expires {time}</>;
}
