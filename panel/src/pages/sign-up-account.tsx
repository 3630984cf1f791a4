import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSend } from '../api/queries.ts';
import { send } from '../api/send.ts';
import { AcceptDocuments, useDocuments, versionsOf } from '../features/people/accept-documents.tsx';
import { useEnter } from '../features/people/use-enter.ts';
import { paths } from '../paths.ts';
import { Form } from '../ui/form/form.tsx';
import { Link } from '../ui/link.tsx';
import { Plain } from '../ui/plain.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

/** The last step of a sign-up by single sign-on: accepting the documents. */
export function SignUpAccountPage() {
  const stranger = useQuery({
    queryKey: ['POST /panel/sign-up/oidc/look'],
    queryFn: () => send('POST /panel/sign-up/oidc/look', {}),
    retry: false,
  });
  const documents = useDocuments();
  const join = useSend('POST /panel/sign-up/oidc');
  const enter = useEnter();
  const submit = () => join.mutate({ body: { accepted: versionsOf(documents) } }, { onSuccess: enter });
  return (
    <Plain title="Create your account">
      <ProblemAlert error={stranger.error} />
      {stranger.data && (
        <>
          <p className="soft">
            You are new here. <strong>{stranger.data.email}</strong> gets an account of its own.
          </p>
          <Form error={join.error} onSubmit={submit}>
            <AcceptDocuments documents={documents} />
            <Button type="submit" loading={join.isPending} fullWidth>
              Create my account
            </Button>
          </Form>
        </>
      )}
      <p className="soft small">
        <Link href={paths.signIn()}>Back to sign-in</Link>
      </p>
    </Plain>
  );
}
