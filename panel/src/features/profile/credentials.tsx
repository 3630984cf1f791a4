import type { BodyOf, Session } from '@darkroom/server/panel-contract';
import { Button, TextInput } from '@mantine/core';
import { type ChangeEvent, useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { EmailField } from '../../ui/form/email-field.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { Form } from '../../ui/form/form.tsx';
import { PasswordField } from '../../ui/form/password-field.tsx';

type Body = BodyOf<'POST /panel/session/credentials'>;

export function Credentials({ session }: { session: Session }) {
  const [name, setName] = useState(session.person.name);
  const [email, setEmail] = useState(session.person.email ?? '');
  const [password, setPassword] = useState('');
  const [current, setCurrent] = useState('');
  const options = useRead('GET /panel/sign-in', {});
  const save = useSend('POST /panel/session/credentials', ['GET /panel/session']);
  const served = fieldErrors(save.error);
  const asksCurrent = session.has_password && !session.may_reset_password;
  const minimum = options.data?.min_password_length;
  const submit = () => {
    const body: Body = {
      ...(name.trim() !== session.person.name && { name: name.trim() }),
      ...(email.trim() !== (session.person.email ?? '') && { email: email.trim() }),
      ...(password !== '' && { password }),
      ...(asksCurrent && current !== '' && { current_password: current }),
    };
    save.mutate(
      { body },
      {
        onSuccess: () => {
          setPassword('');
          setCurrent('');
        },
      },
    );
  };
  const typing = (set: (text: string) => void) => (event: ChangeEvent<HTMLInputElement>) => {
    set(event.currentTarget.value);
    if (save.isSuccess) save.reset();
  };
  return (
    <Form error={save.error} onSubmit={submit}>
      <TextInput
        label="Name"
        autoComplete="name"
        maxLength={100}
        value={name}
        error={served['/name']}
        onChange={typing(setName)}
      />
      <EmailField value={email} error={served['/email']} onChange={typing(setEmail)} />
      <PasswordField
        label={session.has_password ? 'New password' : 'Password'}
        description={
          !minimum
            ? undefined
            : session.has_password
              ? `At least ${minimum} characters; empty keeps the old one`
              : `At least ${minimum} characters`
        }
        autoComplete="new-password"
        value={password}
        error={served['/password']}
        onChange={typing(setPassword)}
      />
      {asksCurrent && (
        <PasswordField
          label="Current password"
          description="To change the email or the password"
          autoComplete="current-password"
          value={current}
          error={served['/current_password']}
          onChange={typing(setCurrent)}
        />
      )}
      <div className="row">
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
        <span aria-live="polite" className="small soft">
          {save.isSuccess && 'Saved.'}
        </span>
      </div>
    </Form>
  );
}
