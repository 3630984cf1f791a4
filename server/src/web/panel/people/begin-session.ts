import { heardLanguage } from '../../../accounts/people/language.ts';
import { noteLanguage } from '../../../accounts/people/language-store.ts';
import { deleteExpiredSessions } from '../../../accounts/people/people-store.ts';
import { maxSessionMs, readNewSession } from '../../../accounts/sign-in/sessions.ts';
import type { SignedIn } from '../../../accounts/sign-in/sign-in.ts';
import { addCookies } from '../../api/sessions.ts';
import type { PanelCallRequest } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { Session } from './contract.ts';
import { presentSession } from './present-session.ts';
import { deviceSeconds, writeCookie } from './session-cookies.ts';

/** Also sets the cookie that later identifies this browser. */
export async function beginSession(
  deps: PanelDeps,
  request: PanelCallRequest,
  { cookies }: SignedIn,
): Promise<Session> {
  await deps.database.transaction((tx) => deleteExpiredSessions(tx, { maxSessionMs }));
  const session = await beginWith(deps, request, cookies);
  const options = { publicUrl: deps.publicUrl(), maxAge: deviceSeconds };
  writeCookie(request.reply, 'device', deps.seals.make('device', session.person.person_id), options);
  return session;
}

export async function beginWith(
  deps: PanelDeps,
  { reply, browser }: PanelCallRequest,
  cookies: readonly string[],
): Promise<Session> {
  addCookies(reply, cookies);
  const session = await readNewSession(deps, cookies);
  if (!session) throw new Error('the session that was just begun cannot be read');
  const language = heardLanguage(browser.headers.get('accept-language'));
  const { personId } = session.viewer;
  if (language) await deps.database.transaction((tx) => noteLanguage(tx, personId, language));
  return presentSession(deps, session.viewer);
}
