import type { Session } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useSend } from '../api/queries.ts';
import { Authenticator } from '../features/profile/authenticator.tsx';
import { paths } from '../paths.ts';
import { useGo } from '../ui/link.tsx';
import { Plain } from '../ui/plain.tsx';

/** Shown after signing in with a password, if a second factor is required. */
export function NeedsAuthenticator({ session }: { session: Session }) {
  const signOut = useSend('POST /panel/sign-out');
  const go = useGo();
  return (
    <Plain title="One more step">
      <p>
        {session.operator
          ? 'Operators here sign in with a password and a code from an authenticator app. Set yours up once; the panel opens right after.'
          : 'Everyone here signs in with a password and a code from an authenticator app. Set yours up once; the panel opens right after.'}
      </p>
      <Authenticator session={session} />
      <div>
        <Button
          variant="subtle"
          loading={signOut.isPending}
          onClick={() => signOut.mutate({}, { onSettled: () => go(paths.signIn()) })}
        >
          Sign out
        </Button>
      </div>
    </Plain>
  );
}
