import type { BucketCredentials, EndpointRow, EventType } from '@darkroom/server/panel-contract';
import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { type ReadCall, useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';

export const endpointReads: ReadCall[] = [
  'GET /api/v1/webhooks',
  'GET /api/v1/webhooks/:endpoint_id',
  'GET /api/v1/deliveries',
];

interface Props {
  /** Null for a new endpoint. */
  endpoint: EndpointRow | null;
  opened: boolean;
  onClose: () => void;
  onSaved: (endpoint: EndpointRow) => void;
}

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
  const [before] = useState({ url: endpoint?.url ?? '', events: endpoint?.events ?? endsOfJobs });
  const [url, setUrl] = useState(before.url);
  const [events, setEvents] = useState<EventType[]>(before.events);
  const [key, setKey] = useState<BucketCredentials>(noKey);
  const bucket = isBucket(url.trim());
  const [tried, setTried] = useState(false);
  const add = useSend('POST /api/v1/webhooks', endpointReads);
  const change = useSend('PATCH /api/v1/webhooks/:endpoint_id', endpointReads);
  const sending = endpoint ? change : add;
  const wrong = {
    url: /^(https?|s3):\/\/\S+$/.test(url.trim())
      ? undefined
      : t('It must begin with https://, http:// or s3://'),
    events: !bucket && events.length === 0 ? t('Choose at least one event') : undefined,
    key: bucket && lacksKey(key, endpoint === null) ? t('Both the id and the secret are needed') : undefined,
  };
  const submit = () => {
    setTried(true);
    if (wrong.url || wrong.events || wrong.key) return;
    const credentials = bucket && key.access_key_id !== '' ? { credentials: key } : {};
    if (!endpoint) {
      const body = { url: url.trim(), events: bucket ? null : events, ...credentials };
      return add.mutate({ params: { account_id }, body }, { onSuccess: onSaved });
    }
    const body = { ...changed(before, { url: url.trim(), events }), ...credentials };
    if (Object.keys(body).length === 0) return onClose();
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
        description="The address of your program or of a bucket: s3://bucket/folder?region=eu-central-1. Private networks work only if an operator allows them."
        placeholder="https://example.com/darkroom"
        data-autofocus
        value={url}
        error={(tried && wrong.url) || fieldErrors(sending.error)['/url']}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      {endpoint && url.trim() !== before.url && (
        <p className="small soft">Deliveries that wait for the old address are cancelled.</p>
      )}
      {bucket && (
        <BucketFields value={key} isNew={endpoint === null} error={tried && wrong.key} onChange={setKey} />
      )}
      {!bucket && (
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
      )}
    </DialogForm>
  );
}

interface Editable {
  url: string;
  events: EventType[];
}

/** Only what this form has changed, because another person may have changed the rest since it was opened. */
function changed(before: Editable, { url, events }: Editable): Partial<Editable> {
  return {
    ...(url !== before.url && { url }),
    ...(String(events.toSorted()) !== String(before.events.toSorted()) && { events }),
  };
}

/** A bucket gets copies of results instead of events. */
export function isBucket(url: string): boolean {
  return url.startsWith('s3://');
}

const noKey: BucketCredentials = { access_key_id: '', secret_access_key: '' };

/** Whether credentials are missing. If none are entered, an existing endpoint keeps its stored ones. */
function lacksKey({ access_key_id, secret_access_key }: BucketCredentials, isNew: boolean): boolean {
  const given = [access_key_id, secret_access_key].filter((text) => text !== '').length;
  return given === 1 || (isNew && given === 0);
}

interface BucketProps {
  value: BucketCredentials;
  isNew: boolean;
  error: string | false | undefined;
  onChange: (value: BucketCredentials) => void;
}

function BucketFields({ value, isNew, error, onChange }: BucketProps) {
  return (
    <>
      <p className="small soft">
        <span>
          The image of every job that is done is copied there as <code>year/month/day/job id.png</code>.
        </span>{' '}
        {!isNew && 'Leave the credentials empty to keep those that are set.'}
      </p>
      <TextInput
        label="Access key id"
        description="It needs the right to put objects there, and no other."
        autoComplete="off"
        value={value.access_key_id}
        onChange={(event) => onChange({ ...value, access_key_id: event.currentTarget.value.trim() })}
      />
      <PasswordInput
        label="Secret access key"
        description="Kept encrypted, and never shown again."
        autoComplete="off"
        value={value.secret_access_key}
        error={error}
        onChange={(event) => onChange({ ...value, secret_access_key: event.currentTarget.value.trim() })}
      />
    </>
  );
}

const known: { type: EventType; when: string }[] = [
  { type: 'job.done', when: t('An image is ready.') },
  { type: 'job.failed', when: t('A job failed or was cancelled.') },
  { type: 'batch.completed', when: t('All jobs of a batch have ended.') },
  { type: 'balance.low', when: t('The balance fell below the account’s threshold.') },
  { type: 'spend_limit.near', when: t('The account’s share of a spend limit is used.') },
  { type: 'spend_limit.reached', when: t('A spend limit stopped a job of the account.') },
  { type: 'key.expiring', when: t('A key of the account ends within a week.') },
  { type: 'payment.received', when: t('A payment was credited to the account.') },
  { type: 'top_up.stopped', when: t('The account’s card is no longer charged automatically.') },
  { type: 'policy.strike', when: t('The policy refused many requests of the account.') },
];

/** The events of an endpoint without a list of types. */
const endsOfJobs: EventType[] = ['job.done', 'job.failed'];
