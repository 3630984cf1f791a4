import { IconCloudOff } from '@tabler/icons-react';
import { useReachable } from '../api/reachable.ts';
import classes from './unreachable.module.css';

export function Unreachable() {
  const reachable = useReachable();
  return (
    <div role="status">
      {!reachable && (
        <p className={classes.banner}>
          <IconCloudOff size={16} aria-hidden />
          The server cannot be reached. What you see may be out of date; trying again…
        </p>
      )}
    </div>
  );
}
