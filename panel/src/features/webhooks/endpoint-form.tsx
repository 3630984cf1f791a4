import type { EndpointRow, EventType } from '@darkroom/server/panel-contract';
import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { type ReadCall, useSend } from '../../api/queries.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';

/** What shows endpoints. */
export const endpointReads: ReadCall[] = [
  'GET /panel/accounts/:account_id/endpoints',
  'GET /panel/accounts/:account_id/endpoints/:endpoint_id',
  'GET /panel/accounts/:account_id/deliveries',
];

interface Props {
  /** Null: a new one. */
  endpoint: EndpointRow | null;
  opened: boolean;
  onClose: () => void;
  onSaved: (endpoint: EndpointRow) => void;
}

/** Adds an endpoint or changes one. */
export function EndpointForm(props: Props) {
  return (
    <Dialog
      title={props.endpoint ? 'Change the endpoint' : 'Add an endpoint'}
      opened={props.opened}
      onClose={props.onClose}
    >
      <Fields {...props} />
    </Dialog>
  );
}

function Fields({ endpoint, onClose, onSaved }: Props) {
  const account_id = useAccountId();
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [events, setEvents] = useState<EventType[]>(endpoint?.events ?? endsOfJobs);
  const [tried, setTried] = useState(false);
  const add = useSend('POST /panel/accounts/:account_id/endpoints', endpointReads);
  const change = useSend('POST /panel/accounts/:account_id/endpoints/:endpoint_id', endpointReads);
  const sending = endpoint ? change : add;
  const wrong = {
    url: /^https?:\/\/\S+$/.test(url.trim()) ? undefined : 'It must begin with http:// or https://',
    events: events.length === 0 ? 'Choose at least one event' : undefined,
  };
  const submit = () => {
    setTried(true);
    if (wrong.url || wrong.events) return;
    const body = { url: url.trim(), events };
    if (!endpoint) return add.mutate({ params: { account_id }, body }, { onSuccess: onSaved });
    const params = { account_id, endpoint_id: endpoint.endpoint_id };
    change.mutate({ params, body }, { onSuccess: onSaved });
  };
  return (
    <DialogForm
      action={endpoint ? 'Save endpoint' : 'Add endpoint'}
      sending={sending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Address"
        description="The server must be able to reach it. Private networks work only if an operator allows them."
        placeholder="https://example.com/darkroom"
        type="url"
        data-autofocus
        value={url}
        error={(tried && wrong.url) || fieldErrors(sending.error)['/url']}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      {endpoint && url.trim() !== endpoint.url && (
        <p className="small soft">Deliveries that wait for the old address are cancelled.</p>
      )}
      <Checkbox.Group
        label="Events"
        description="Others are not sent here."
        value={events}
        error={tried && wrong.events}
        onChange={setEvents}
      >
        <div className="stack tight" style={{ marginTop: 8 }}>
          {known.map(({ type, when }) => (
            <Checkbox key={type} value={type} label={type} description={when} />
          ))}
        </div>
      </Checkbox.Group>
    </DialogForm>
  );
}

const known: { type: EventType; when: string }[] = [
  { type: 'job.done', when: 'An image is ready.' },
  { type: 'job.failed', when: 'A job failed or was cancelled.' },
  { type: 'batch.completed', when: 'All jobs of a batch have ended.' },
  { type: 'balance.low', when: 'The balance fell below the account’s threshold.' },
  { type: 'spend_limit.near', when: 'The account’s share of a spend limit is used.' },
];

/** What an endpoint gets that names no types. */
const endsOfJobs: EventType[] = ['job.done', 'job.failed'];
