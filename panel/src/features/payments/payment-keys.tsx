import type { AnswerOf } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { type ReadCall, useRead, useSend } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { PasswordField } from '../../ui/form/password-field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';

const keysAndPayments: ReadCall[] = ['GET /panel/operator/payment-keys', 'GET /api/v1/payments'];

type Keys = AnswerOf<'GET /panel/operator/payment-keys'>;

/** The keys of the Stripe account that receives payments. Operators set them here, unless the environment sets them. */
export function PaymentKeys() {
  const keys = useRead('GET /panel/operator/payment-keys', {});
  const mayChange = useSession().rights.includes('operate');
  return (
    <Section title="Stripe">
      <Await query={keys}>
        {(data) => (
          <>
            {data.from === 'unreadable' ? <Unreadable /> : <p className="soft small">{told(data)}</p>}
            {data.top_ups_lack.length > 0 && (
              <Notice tone="warn" title="Automatic top-ups are not offered">
                The key lacks these permissions: {data.top_ups_lack.join(', ')}. Grant them to the key in
                Stripe and save the keys again.
              </Notice>
            )}
            {mayChange && data.from !== 'environment' && <Change keys={data} />}
          </>
        )}
      </Await>
    </Section>
  );
}

function told({ from, hint }: Keys): string {
  if (from === 'environment')
    return t('Payments are taken with the key {hint}, which is set on the server.', { hint: hint ?? '' });
  return from === 'panel'
    ? t('Payments are taken with the key {hint}.', { hint: hint ?? '' })
    : t('No payments are taken until you enter its keys.');
}

function Unreadable() {
  return (
    <Notice tone="bad" title="The Stripe keys cannot be read">
      The secret that encrypted them is not set here. Nobody can pay, and refunds and disputes are not
      noticed. Enter the keys again, or add the old secret to <code>DARKROOM_SECRET</code> after a comma and
      restart.
    </Notice>
  );
}

function Change({ keys }: { keys: Keys }) {
  const [opened, setOpened] = useState(false);
  const remove = useSend('POST /panel/operator/payment-keys/remove', keysAndPayments);
  return (
    <div className="row">
      <Button variant="default" onClick={() => setOpened(true)}>
        {keys.hint === null ? 'Enter the Stripe keys' : 'Change the keys'}
      </Button>
      {keys.from !== null && (
        <ConfirmButton
          label="Remove"
          size="sm"
          name="Remove the Stripe keys"
          title="Take no more payments?"
          action="Remove keys"
          sending={remove}
          onConfirm={() => remove.mutate({})}
        >
          Customers can no longer pay, and refunds and disputes go unnoticed until there are keys again.
        </ConfirmButton>
      )}
      <Dialog title="Stripe keys" opened={opened} onClose={() => setOpened(false)}>
        <KeysForm sendsTo={keys.sends_to} onClose={() => setOpened(false)} />
      </Dialog>
    </div>
  );
}

function KeysForm({ sendsTo, onClose }: { sendsTo: string; onClose: () => void }) {
  const [secretKey, setSecretKey] = useState('');
  const [webhookSecret, setWebhookSecret] = useState('');
  const save = useSend('POST /panel/operator/payment-keys', keysAndPayments);
  const served = fieldErrors(save.error);
  const submit = () =>
    save.mutate({ body: { secret_key: secretKey, webhook_secret: webhookSecret } }, { onSuccess: onClose });
  return (
    <DialogForm action="Save keys" sending={save} onSubmit={submit} onClose={onClose}>
      <PasswordField
        label="Secret key"
        placeholder="sk_live_…"
        autoComplete="off"
        data-autofocus
        value={secretKey}
        error={served['/secret_key']}
        onChange={(event) => setSecretKey(event.currentTarget.value)}
      />
      <p className="small soft">
        In Stripe, add an endpoint with this address and{' '}
        <a href={paths.paymentEvents()} target="_blank" rel="noreferrer">
          these events
        </a>
        , and give its signing secret.
      </p>
      <CodeBlock code={sendsTo} what="address" wrap />
      <PasswordField
        label="Signing secret"
        placeholder="whsec_…"
        autoComplete="off"
        value={webhookSecret}
        error={served['/webhook_secret']}
        onChange={(event) => setWebhookSecret(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
