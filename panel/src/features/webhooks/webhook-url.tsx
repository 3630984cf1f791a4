import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useSend } from '../../api/queries.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';

/** Sets, replaces or removes the endpoint of the account. */
export function WebhookUrl(props: { url: string | null; opened: boolean; onClose: () => void }) {
  return (
    <Dialog
      title={props.url ? 'Change the endpoint' : 'Set an endpoint'}
      opened={props.opened}
      onClose={props.onClose}
    >
      <UrlForm url={props.url} onClose={props.onClose} />
    </Dialog>
  );
}

function UrlForm({ url, onClose }: { url: string | null; onClose: () => void }) {
  const params = { account_id: useAccountId() };
  const [text, setText] = useState(url ?? '');
  const [tried, setTried] = useState(false);
  const save = useSend('POST /panel/accounts/:account_id/webhook', [
    'GET /panel/accounts/:account_id/webhook',
  ]);
  const wrong = /^https?:\/\/\S+$/.test(text.trim()) ? undefined : 'It must begin with http:// or https://';
  const submit = () => {
    setTried(true);
    if (!wrong) save.mutate({ params, body: { url: text.trim() } }, { onSuccess: onClose });
  };
  return (
    <DialogForm
      action="Save endpoint"
      sending={save}
      onSubmit={submit}
      onClose={onClose}
      other={
        url !== null && (
          <Button
            variant="subtle"
            color="failure"
            className="end"
            loading={save.isPending}
            onClick={() => save.mutate({ params, body: { url: null } }, { onSuccess: onClose })}
          >
            Remove
          </Button>
        )
      }
    >
      <TextInput
        label="Address"
        description="It must be reachable from the server; private networks only if an operator allows them."
        placeholder="https://example.com/darkroom"
        type="url"
        data-autofocus
        value={text}
        error={(tried && wrong) || fieldErrors(save.error)['/url']}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
