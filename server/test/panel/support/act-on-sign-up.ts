import { makeAddressLink } from '../../../src/accounts/people/address-link.ts';
import type { World } from '../../world/world.ts';
import { addPerson, Browser, password } from '../browser.ts';
import type { Auditor } from './auditor.ts';
import { addAuthenticator } from './authenticator.ts';
import { solve } from './captcha.ts';
import { openDevice } from './device.ts';
import { signIn } from './oidc.ts';
import { ownPassword } from './sign-up.ts';

/** Keys for a captcha server that never gets a request. */
export const signUpEnvironment = {
  ...{ DARKROOM_SIGN_UP: 'open', DARKROOM_CAPTCHA: 'altcha', SMTP_URL: 'smtp://127.0.0.1:1' },
  DARKROOM_MAIL_FROM: 'darkroom@example.com',
};

export async function actOnSignUp(auditor: Auditor, world: World, operator: Browser): Promise<void> {
  const { database } = world.app;
  const stranger = new Browser(world);
  const email = 'stranger@example.com';
  const passed = async () => solve(await auditor.call(stranger, 'POST /panel/sign-in/captcha'));
  await auditor.call(stranger, 'POST /panel/sign-up', { body: { email, captcha: await passed() } });
  await auditor.call(operator, 'POST /panel/operator/customers/invite', { body: { email } });
  const signUp = { purpose: 'sign_up', email, lifetimeHours: 1 } as const;
  const { token } = await database.transaction((tx) => makeAddressLink(tx, signUp));
  const confirm = { body: { token, password: ownPassword } };
  await auditor.call(stranger, 'POST /panel/sign-up/confirm', confirm);
  await auditor.nothing(stranger, 'POST /panel/sign-up/confirm', confirm);

  const keyed = { purpose: 'sign_up', email: 'keyed@example.com', lifetimeHours: 1 } as const;
  const { token: link } = await database.transaction((tx) => makeAddressLink(tx, keyed));
  const holder = new Browser(world);
  const offered = await auditor.call(holder, 'POST /panel/sign-up/passkey/offer', { body: { token: link } });
  const answer = { token: link, name: 'laptop', ...openDevice(world.url).create(offered.options) };
  await auditor.call(holder, 'POST /panel/sign-up/passkey', { body: answer });
  await auditor.nothing(holder, 'POST /panel/sign-up/passkey', { body: answer });

  const vouched = new Browser(world);
  await signIn(world, vouched, '/');
  await auditor.call(vouched, 'POST /panel/sign-up/oidc/look');
  await auditor.call(vouched, 'POST /panel/sign-up/oidc', { body: {} });

  const known = { email: 'forgetful@example.com', accountId: world.accountId, emailConfirmed: true };
  const personId = await addPerson(world, known);
  const person = new Browser(world);
  await person.call('POST /panel/sign-in', { body: { email: known.email, password } });
  await addAuthenticator(person); // with one, the new password alone does not sign in
  await auditor.call(person, 'POST /panel/sign-in/forgotten', {
    body: { email: known.email, captcha: await passed() },
  });
  const reset = { purpose: 'password_reset', email: known.email, personId, lifetimeHours: 1 } as const;
  const made = await database.transaction((tx) => makeAddressLink(tx, reset));
  const body = { token: made.token, password: ownPassword };
  await auditor.call(person, 'POST /panel/sign-in/reset', { body });
  await auditor.nothing(person, 'POST /panel/sign-in/reset', { body });
}
