import { useSuspenseQuery } from '@tanstack/react-query';
import type { Session } from '../../../server/src/panel/contract.ts';
import { read } from './queries.ts';

/** Who is signed in. Only pages below the shell use it, and the shell has read it before they are shown. */
export function useSession(): Session {
  return useSuspenseQuery(read('GET /panel/session', {})).data;
}
