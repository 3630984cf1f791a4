import type { Session } from '@darkroom/server/panel-contract';
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { Form } from '../../ui/form/form.tsx';

export function CodeForm({ onSession }: { onSession: (session: Session) => void }) {
  const [code, setCode] = useState('');
  const send = useSend('POST /panel/sign-in/code');
  return (
    <Form
      error={send.error}
      onSubmit={() => send.mutate({ body: { code: code.trim() } }, { onSuccess: onSession })}
    >
      <TextInput
        label="Code"
        description="Six digits from your authenticator app, or one of your backup codes"
        autoComplete="one-time-code"
        autoFocus
        required
        withAsterisk={false}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', letterSpacing: '0.1em' } }}
      />
      <Button type="submit" loading={send.isPending} fullWidth>
        Continue
      </Button>
    </Form>
  );
}
