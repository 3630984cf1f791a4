import type { Session } from '@darkroom/server/panel-contract';
import { CloseButton } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '../paths.ts';
import { Link } from '../ui/link.tsx';
import classes from './finish-set-up.module.css';

/** Offers to set a password after signing in by a link. The person can decline. */
export function FinishSetUp({ session }: { session: Session }) {
  const [hidden, setHidden] = useState(() => sessionStorage.getItem(storageName) !== null);
  const { pathname } = useLocation();
  if (session.has_password || session.via !== 'link' || hidden || pathname === paths.profile()) return null;
  const hide = () => {
    sessionStorage.setItem(storageName, 'yes');
    setHidden(true);
  };
  return (
    <div className={classes.nudge}>
      <p>
        You signed in with a one-time link.{' '}
        <Link href={paths.profile()}>Set an email address and a password</Link> to sign in again without one.
      </p>
      <CloseButton size="sm" aria-label="Hide this for now" onClick={hide} />
    </div>
  );
}

const storageName = 'darkroom.set-up-later';
