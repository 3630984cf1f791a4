import assert from 'node:assert/strict';
import type { SignUpSettings } from '../../../src/accounts/sign-up/sign-up-settings.ts';
import { readEmail } from '../../alerts/read-email.ts';
import { type Mail, type SmtpServer, startSmtpServer } from '../../alerts/smtp-server.ts';
import { freePort } from '../../world/free-port.ts';
import { openWorld, type World, type WorldOptions } from '../../world/world.ts';
import { Browser, type PanelReply, tokenOf } from '../browser.ts';

export const ownPassword = 'seven lanterns hum quietly';

/** The address that the proxy reports for the client: an IPv6 network by its number. */
export const from = (network: number) => ({
  headers: { 'x-forwarded-for': `2001:db8:${network.toString(16)}::1` },
});

export interface SignUpWorld extends AsyncDisposable {
  world: World;
  smtp: SmtpServer;
  askFor(email: string, network?: number): Promise<string>;
  join(email: string, more?: object): Promise<Browser>;
}

export async function openSignUpWorld(
  signUp: Partial<SignUpSettings> = {},
  options: WorldOptions = {},
): Promise<SignUpWorld> {
  const smtp = await startSmtpServer();
  const port = String(await freePort());
  const env = {
    ...{ SMTP_URL: `${smtp.url}?ignoreTLS=true`, DARKROOM_MAIL_FROM: 'Darkroom <darkroom@example.com>' },
    ...{ PORT: port, DARKROOM_PUBLIC_URL: `http://127.0.0.1:${port}` },
    ...{ DARKROOM_SIGN_UP: 'open', DARKROOM_TRUSTED_PROXIES: '127.0.0.1' },
  };
  const world = await openWorld({
    ...options,
    env: { ...env, ...options.env },
    config: {
      signUp: {
        mode: 'open',
        documents: [],
        freeCreditMicros: 0n,
        freeCreditsPerDay: 100,
        limits: {},
        ...signUp,
      },
      ...options.config,
    },
  });
  const askFor = async (email: string, network = 1) => {
    const before = (await smtp.mailsTo(email, 0)).length;
    const reply = await requestSignUp(world, email, network);
    assert.equal(reply.status, 204, reply.text);
    return linkIn((await smtp.mailsTo(email, before + 1)).at(-1));
  };
  return {
    ...{ world, smtp, askFor },
    async join(email, more = {}) {
      const browser = new Browser(world);
      const body = { token: tokenOf(await askFor(email)), password: ownPassword, ...more };
      await browser.call('POST /panel/sign-up/confirm', { body });
      return browser;
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await smtp[Symbol.asyncDispose]();
    },
  };
}

export function requestSignUp(world: World, email: string, network = 1): Promise<PanelReply> {
  return new Browser(world).try('POST /panel/sign-up', { body: { email }, ...from(network) });
}

export function linkIn(mail: Mail | undefined): string {
  const [link] = /http\S+\/open#\S+/.exec(readEmail(mail?.content ?? '').text) ?? [];
  assert.ok(link, mail?.content);
  return link;
}
