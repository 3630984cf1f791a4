import { Button } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { Authenticator } from '../forms/authenticator.tsx';
import { Credentials } from '../forms/credentials.tsx';
import { Page, Section } from '../ui/page.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { RelativeTime } from '../ui/time.tsx';

export function ProfilePage() {
  const session = useSession();
  return (
    <Page
      title="Profile and security"
      intro={
        session.has_password ? undefined : 'With an e-mail and a password you can come back without a link.'
      }
    >
      <div className="stack wide" style={{ maxWidth: 460 }}>
        <Section title={session.has_password ? 'Name, e-mail and password' : 'Finish setting up'}>
          <Credentials session={session} />
        </Section>
        <Section title="Authenticator">
          <Authenticator session={session} />
        </Section>
        <Section title="Sessions">
          <p className="soft small">
            This one ends <RelativeTime at={session.expires_at} beside /> unless you use it before.
          </p>
          <EndOthers />
        </Section>
      </div>
    </Page>
  );
}

function EndOthers() {
  const end = useSend('POST /panel/session/end-others');
  const [done, setDone] = useState(false);
  return (
    <div className="stack tight">
      <ProblemAlert error={end.error} />
      <div className="row">
        <Button
          variant="default"
          loading={end.isPending}
          onClick={() => end.mutate({}, { onSuccess: () => setDone(true) })}
        >
          End my other sessions
        </Button>
        <span aria-live="polite" className="small soft">
          {done && 'They have ended.'}
        </span>
      </div>
    </div>
  );
}
