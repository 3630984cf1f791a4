import { useSuspenseQuery } from '@tanstack/react-query';
import type { Session } from '../../../server/src/panel/contract.ts';
import { read } from './queries.ts';

/** The signed-in person. Only used below the shell, which has loaded the session. */
export function useSession(): Session {
  return useSuspenseQuery(read('GET /panel/session', {})).data;
}
