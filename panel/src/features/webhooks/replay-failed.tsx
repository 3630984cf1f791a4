import { Button, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useRead, useSend } from '../../api/queries.ts';
import { number } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';

interface Props {
  /** Null for all endpoints and `callback_url`s. */
  endpointId: string | null;
  opened: boolean;
  onClose: () => void;
}

/** Resends the events that could not be delivered since a given time, such as the start of an outage. */
export function ReplayFailed(props: Props) {
  const { opened, onClose } = props;
  return (
    <Dialog title="Replay failed deliveries" opened={opened} onClose={onClose}>
      {opened && <Replay {...props} />}
    </Dialog>
  );
}

function Replay({ endpointId, onClose }: Props) {
  const params = { account_id: useAccountId() };
  const [hours, setHours] = useState('24');
  // The time is fixed while the dialog is open, so that the count matches the events that are sent.
  const [openedAt] = useState(() => Date.now());
  const from = new Date(openedAt - Number(hours) * hourMs).toISOString();
  const which = { from, ...(endpointId && { endpoint_id: endpointId }) };
  const failed = useRead('GET /api/v1/deliveries/replay', { params, query: which }, { keep: true });
  const replay = useSend('POST /api/v1/deliveries/replay', [
    'GET /api/v1/deliveries',
    'GET /api/v1/deliveries/replay',
  ]);
  const count = failed.data?.count;
  return (
    <>
      <p>
        Sends every event whose deliveries all failed, under its old <code>webhook-id</code>, so that a
        receiver can tell what it has already handled.
      </p>
      <ProblemAlert error={replay.error ?? failed.error} />
      <NativeSelect
        label="Jobs that ended within the last"
        data-autofocus
        value={hours}
        onChange={(event) => setHours(event.currentTarget.value)}
        data={[
          { value: '1', label: t('1 hour') },
          { value: '24', label: t('24 hours') },
          { value: '168', label: t('7 days') },
          { value: '720', label: t('30 days') },
        ]}
      />
      <p aria-live="polite" className="small">
        {replay.data && `${events(replay.data.replayed)} sent again.`}
      </p>
      <div className="row">
        <ActionButton
          why={count === 0 ? 'Nothing failed in this time.' : undefined}
          loading={replay.isPending || count === undefined}
          onClick={() => replay.mutate({ params, body: { ...which, tried: true } })}
        >
          {count === undefined ? 'Replay' : `Replay ${events(count)}`}
        </ActionButton>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </div>
    </>
  );
}

function events(count: number): string {
  if (count >= mostCounted) return t('{mostCounted} or more events', { mostCounted: number(mostCounted) });
  return t('{count, plural, one {# event} other {# events}}', { count });
}

/** The server stops counting at this number of deliveries. */
const mostCounted = 10_000;
const hourMs = 3_600_000;
