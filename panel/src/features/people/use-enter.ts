import type { Session } from '@darkroom/server/panel-contract';
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { queries, read } from '../../api/queries.ts';
import { paths } from '../../paths.ts';

export function useEnter(): (session: Session) => void {
  const { history } = useRouter();
  return useCallback(
    (session) => {
      queries.setQueryData(read('GET /panel/session', {}).queryKey, session);
      history.replace(paths.root());
    },
    [history],
  );
}
