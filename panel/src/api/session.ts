import type { Session } from '@darkroom/server/panel-contract';
import { useSuspenseQuery } from '@tanstack/react-query';
import { read } from './queries.ts';

/** Only for components below the shell, which loads the session. */
export function useSession(): Session {
  return useSuspenseQuery(read('GET /panel/session', {})).data;
}
