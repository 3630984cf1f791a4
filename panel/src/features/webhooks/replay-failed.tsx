import { Button, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useSend } from '../../api/queries.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';

/** Sends again what failed since a time, such as the start of an outage. */
export function ReplayFailed({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const params = { account_id: useAccountId() };
  const [hours, setHours] = useState('24');
  const replay = useSend('POST /panel/accounts/:account_id/deliveries/replay-failed', [
    'GET /panel/accounts/:account_id/deliveries',
  ]);
  const close = () => {
    replay.reset();
    onClose();
  };
  const since = () => new Date(Date.now() - Number(hours) * hourMs).toISOString();
  return (
    <Dialog title="Replay what failed" opened={opened} onClose={close}>
      <p>
        Every delivery that failed in this time is sent again, with the same id, so a careful receiver takes
        it once.
      </p>
      <ProblemAlert error={replay.error} />
      <NativeSelect
        label="Failed within the last"
        data-autofocus
        value={hours}
        onChange={(event) => setHours(event.currentTarget.value)}
        data={[
          { value: '1', label: 'Hour' },
          { value: '24', label: '24 hours' },
          { value: '168', label: '7 days' },
          { value: '720', label: '30 days' },
        ]}
      />
      <p aria-live="polite" className="small">
        {replay.data && `${replay.data.replayed} on their way again.`}
      </p>
      <div className="row">
        <Button
          loading={replay.isPending}
          onClick={() => replay.mutate({ params, body: { since: since() } })}
        >
          Replay
        </Button>
        <Button variant="default" onClick={close}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

const hourMs = 3_600_000;
