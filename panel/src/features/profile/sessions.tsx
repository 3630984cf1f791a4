import type { SessionRow } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { PasswordField } from '../../ui/form/password-field.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { browserName } from './browser-name.ts';

const means = {
  password: t('password'),
  link: t('one-time link'),
  oidc: t('single sign-on'),
  passkey: t('passkey'),
};

export function Sessions() {
  const [ending, setEnding] = useState<SessionRow | 'others'>();
  const sessions = useRead('GET /panel/session/sessions', {});
  const close = () => setEnding(undefined);
  return (
    <Await query={sessions}>
      {({ data }) => (
        <>
          <DataTable
            caption="Sessions"
            rows={data}
            rowKey={(session) => session.session_id}
            columns={[
              { name: t('Browser'), cell: (session) => <Browser session={session} /> },
              {
                name: t('Since'),
                wideOnly: true,
                cell: (session) => <RelativeTime at={session.created_at} />,
              },
              {
                name: t('Actions'),
                quiet: true,
                align: 'end',
                cell: (session) =>
                  session.current ? (
                    <span className="soft small">this one</span>
                  ) : (
                    <Button
                      variant="default"
                      size="compact-xs"
                      aria-label={`End the session of ${browserName(session.browser)}`}
                      onClick={() => setEnding(session)}
                    >
                      End
                    </Button>
                  ),
              },
            ]}
          />
          {data.length > 1 && (
            <div>
              <Button variant="default" onClick={() => setEnding('others')}>
                End my other sessions
              </Button>
            </div>
          )}
          <Dialog
            title={ending === 'others' ? 'End my other sessions' : 'End this session'}
            opened={ending !== undefined}
            onClose={close}
          >
            {ending === 'others' ? (
              <EndOthers onDone={close} />
            ) : (
              ending && <EndOne session={ending} onDone={close} />
            )}
          </Dialog>
        </>
      )}
    </Await>
  );
}

function Browser({ session }: { session: SessionRow }) {
  return (
    <>
      {browserName(session.browser)}
      <div className="soft tiny">
        {session.address}, by {means[session.via]}
      </div>
    </>
  );
}

function EndOthers({ onDone }: { onDone: () => void }) {
  const end = useSend('POST /panel/session/end-others', ['GET /panel/session/sessions']);
  return (
    <EndForm
      sending={end}
      onDone={onDone}
      onSubmit={(body) => end.mutate({ body }, { onSuccess: onDone })}
      text="Every browser but this one has to sign in again."
    />
  );
}

function EndOne({ session, onDone }: { session: SessionRow; onDone: () => void }) {
  const end = useSend('POST /panel/session/sessions/:session_id/end', ['GET /panel/session/sessions']);
  const params = { session_id: session.session_id };
  return (
    <EndForm
      sending={end}
      onDone={onDone}
      onSubmit={(body) => end.mutate({ params, body }, { onSuccess: onDone })}
      text={`${browserName(session.browser)} at ${session.address} has to sign in again.`}
    />
  );
}

/** Asks for the password if the server requires it, which it does some time after signing in. */
function EndForm(props: {
  sending: { error: unknown; isPending: boolean };
  text: string;
  onSubmit: (body: { current_password?: string }) => void;
  onDone: () => void;
}) {
  const [password, setPassword] = useState('');
  const wrong = fieldErrors(props.sending.error)['/current_password'];
  return (
    <DialogForm
      action="End"
      sending={wrong ? { ...props.sending, error: undefined } : props.sending}
      onSubmit={() => props.onSubmit(password === '' ? {} : { current_password: password })}
      onClose={props.onDone}
    >
      <p>{props.text}</p>
      {(wrong || password !== '') && (
        <PasswordField
          label="Your password"
          autoComplete="current-password"
          data-autofocus
          value={password}
          error={wrong}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      )}
    </DialogForm>
  );
}
