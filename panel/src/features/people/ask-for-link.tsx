import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { send } from '../../api/send.ts';
import { paths } from '../../paths.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { EmailField } from '../../ui/form/email-field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { Link } from '../../ui/link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Plain } from '../../ui/plain.tsx';
import { useCaptcha } from './use-captcha.tsx';

/** Requests a link by email. The page is the same whether or not the email address is known. */
export function AskForLink(props: {
  call: 'POST /panel/sign-up' | 'POST /panel/sign-in/forgotten';
  title: string;
  about: string;
  button: string;
  instead?: ReactNode;
}) {
  const [email, setEmail] = useState('');
  const captcha = useCaptcha();
  const ask = useMutation({
    mutationFn: async () => send(props.call, { body: { email, ...(await captcha.prove()) } }),
    onSettled: captcha.reset,
  });
  return (
    <Plain title={props.title}>
      {ask.isSuccess ? (
        <Notice tone="calm" title="Check your inbox" alert>
          An email is on its way to {email}. If it does not arrive, check your spam folder, or ask again in a
          few minutes.
        </Notice>
      ) : (
        <>
          {props.instead}
          <p className="soft">{props.about}</p>
          <Form error={ask.error} onSubmit={() => captcha.why === undefined && ask.mutate()}>
            <EmailField required value={email} onChange={(event) => setEmail(event.currentTarget.value)} />
            {captcha.element}
            <ActionButton type="submit" loading={ask.isPending} fullWidth why={captcha.why}>
              {props.button}
            </ActionButton>
          </Form>
        </>
      )}
      <p className="soft small">
        <Link href={paths.signIn()} reload={captcha.element !== null}>
          Back to sign-in
        </Link>
      </p>
    </Plain>
  );
}
