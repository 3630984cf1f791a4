import type { PasskeyRow, Session } from '@darkroom/server/panel-contract';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { hasPasskeys, makePasskey } from '../../api/passkeys.ts';
import { useRead, useSend } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { browserName } from './browser-name.ts';
import { bodyOf, OwnPassword } from './own-password.tsx';
import { useLeaving } from './use-leaving.ts';

export function Passkeys({ session }: { session: Session }) {
  const [asked, setAsked] = useState<PasskeyRow | 'new'>('new');
  // This is separate from the dialog's content, which must stay visible while the closing dialog fades out.
  const [open, setOpen] = useState(false);
  const passkeys = useRead('GET /panel/session/passkeys', {});
  const ask = (what: PasskeyRow | 'new') => {
    setAsked(what);
    setOpen(true);
  };
  const close = () => setOpen(false);
  return (
    <Await query={passkeys}>
      {({ available, data }) => (
        <>
          <p className="soft small">
            Sign in with the fingerprint, face or PIN of a device, without password and code.
          </p>
          {data.length > 0 && <List passkeys={data} onRemove={ask} />}
          <div>
            <ActionButton variant="default" why={whyNone(available)} onClick={() => ask('new')}>
              Add a passkey
            </ActionButton>
          </div>
          <Dialog
            title={asked === 'new' ? 'Add a passkey' : 'Remove this passkey'}
            opened={open}
            onClose={close}
          >
            {asked === 'new' ? (
              <Addition session={session} onDone={close} />
            ) : (
              <Removal session={session} passkey={asked} onDone={close} />
            )}
          </Dialog>
        </>
      )}
    </Await>
  );
}

function whyNone(available: boolean): string | undefined {
  if (!available) return t('Browsers offer passkeys only for panels with a host name, over https.');
  return hasPasskeys ? undefined : t('This browser has none, or is too old.');
}

function List({ passkeys, onRemove }: { passkeys: PasskeyRow[]; onRemove: (one: PasskeyRow) => void }) {
  return (
    <DataTable
      caption="Passkeys"
      rows={passkeys}
      rowKey={(passkey) => passkey.passkey_id}
      columns={[
        { name: t('Name'), cell: ({ name }) => name },
        {
          name: t('Last used'),
          cell: ({ used_at }) =>
            used_at ? <RelativeTime at={used_at} /> : <span className="soft">never</span>,
        },
        {
          name: t('Actions'),
          quiet: true,
          align: 'end',
          cell: (passkey) => (
            <ActionButton
              variant="default"
              size="compact-xs"
              aria-label={`Remove ${passkey.name}`}
              onClick={() => onRemove(passkey)}
            >
              Remove
            </ActionButton>
          ),
        },
      ]}
    />
  );
}

const thisBrowser = browserName(navigator.userAgent);

function Addition({ session, onDone }: { session: Session; onDone: () => void }) {
  const [name, setName] = useState(thisBrowser);
  const [password, setPassword] = useState('');
  const leaving = useLeaving();
  const add = useSend(
    'POST /panel/session/passkeys/offer',
    ['GET /panel/session/passkeys'],
    async (offer) => {
      const offered = await send('POST /panel/session/passkeys/offer', offer);
      const made = await makePasskey(offered, leaving);
      await send('POST /panel/session/passkeys', { body: { name: name.trim() || thisBrowser, ...made } });
      return offered;
    },
  );
  return (
    <DialogForm
      action="Continue"
      sending={add}
      onSubmit={() => add.mutate({ body: bodyOf(password) }, { onSuccess: onDone })}
      onClose={onDone}
    >
      <TextInput
        label="Name"
        description="To tell it apart when you have several"
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <OwnPassword session={session} error={add.error} value={password} onChange={setPassword} />
    </DialogForm>
  );
}

function Removal(props: { session: Session; passkey: PasskeyRow; onDone: () => void }) {
  const { passkey_id, name } = props.passkey;
  const [password, setPassword] = useState('');
  const remove = useSend('POST /panel/session/passkeys/:passkey_id/remove', [
    'GET /panel/session/passkeys',
    'GET /panel/session/sessions',
  ]);
  return (
    <DialogForm
      action="Remove"
      sending={remove}
      onSubmit={() =>
        remove.mutate({ params: { passkey_id }, body: bodyOf(password) }, { onSuccess: props.onDone })
      }
      onClose={props.onDone}
    >
      <p>“{name}” no longer signs you in, and the sessions it started end.</p>
      <OwnPassword session={props.session} error={remove.error} value={password} onChange={setPassword} />
    </DialogForm>
  );
}
