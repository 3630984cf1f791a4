import { isIP } from 'node:net';
import { bareHost } from '../../base/guard/check-url.ts';
import { greetMailServer, type MailError, type MailSettings } from '../../notify/webhooks/mail/mailer.ts';
import { type Finding, reasonOf } from './finding.ts';

const name = 'mail';

export async function checkMail(settings: MailSettings | null): Promise<Finding> {
  if (!settings) return { name, status: 'ok', found: 'no mail server is set; no emails are sent' };
  // Shows only the host, since the address may contain a password.
  const { protocol, hostname, host } = new URL(settings.url);
  const isSecret = protocol === 'smtps:' || isThisMachine(bareHost(hostname));
  const refused = await failureOf(settings, { requireTLS: !isSecret });
  if (!refused) return { name, status: 'ok', found: `${host} takes emails${isSecret ? '' : ', over TLS'}` };
  if (!isSecret && refused.code === 'ETLS' && !(await failureOf(settings, { requireTLS: false })))
    return {
      name,
      status: 'warn',
      found: `${host} takes emails, but without TLS: passwords and emails can be read on their way`,
      next: 'use a port on which it speaks TLS: smtps://…:465, or smtp://…:587 with STARTTLS',
    };
  return { name, status: 'fail', found: `${host}: ${reasonOf(refused)}`, next: adviceFor(refused) };
}

async function failureOf(
  settings: MailSettings,
  options: { requireTLS: boolean },
): Promise<MailError | undefined> {
  try {
    await greetMailServer(settings, options);
    return undefined;
  } catch (error) {
    return error as MailError; // nodemailer throws only these
  }
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function adviceFor({ code, message }: MailError): string {
  if (code === 'EAUTH')
    return 'correct the user and the password in SMTP_URL; % and @ in them are written %25 and %40';
  if (code === 'EDNS') return 'check the spelling of the host in SMTP_URL';
  if (code === 'ETLS' || /SSL|TLS|certificate/i.test(message))
    return 'check that the port fits: smtps:// for 465, smtp:// for 587; and that the certificate is for this host';
  return 'check the host and the port in SMTP_URL, and that this machine may reach it: many networks close port 25';
}
