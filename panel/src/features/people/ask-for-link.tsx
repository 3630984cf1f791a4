import { Button } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { EmailField } from '../../ui/form/email-field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { Link } from '../../ui/link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Plain } from '../../ui/plain.tsx';

/** Has a link sent to an address; says the same of every address. */
export function AskForLink(props: {
  call: 'POST /panel/sign-up' | 'POST /panel/sign-in/forgotten';
  title: string;
  about: string;
  button: string;
}) {
  const [email, setEmail] = useState('');
  const ask = useSend(props.call);
  return (
    <Plain title={props.title}>
      {ask.isSuccess ? (
        <Notice tone="calm" title="Look into your mailbox" alert>
          An email is on its way to {email}. If it does not come, look into the folder for spam, or ask again
          in a few minutes.
        </Notice>
      ) : (
        <>
          <p className="soft">{props.about}</p>
          <Form error={ask.error} onSubmit={() => ask.mutate({ body: { email } })}>
            <EmailField required value={email} onChange={(event) => setEmail(event.currentTarget.value)} />
            <Button type="submit" loading={ask.isPending} fullWidth>
              {props.button}
            </Button>
          </Form>
        </>
      )}
      <p className="soft small">
        <Link href={paths.signIn()}>Back to the sign-in</Link>
      </p>
    </Plain>
  );
}
