import { Button } from '@mantine/core';
import { useEffect } from 'react';
import { useMarkError } from '../../api/marks.ts';
import { t } from '../../languages/words.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { finishDeletion, undoDeletion, useHeldDeletion } from './held-deletion.ts';
import classes from './undo-deletion.module.css';

/** Offers to undo a deletion, and shows why a key press set no mark. Leaving the page deletes immediately. */
export function UndoDeletion() {
  const held = useHeldDeletion();
  const markError = useMarkError();
  useEffect(() => {
    addEventListener('pagehide', finishDeletion);
    return () => {
      removeEventListener('pagehide', finishDeletion);
      finishDeletion();
    };
  }, []);
  const count = held?.jobIds.length ?? 0;
  return (
    <div role="status" className={classes.dock}>
      <ProblemAlert error={held?.error ?? markError} />
      {held && !held.isSent && (
        <div className={classes.bar}>
          <span>{t('{count, plural, =1 {Image deleted} other {# images deleted}}', { count })}</span>
          <Button size="compact-sm" variant="default" onClick={undoDeletion}>
            Undo
          </Button>
        </div>
      )}
    </div>
  );
}
