import { SettingError } from '../errors.ts';
import type { MailSettings } from '../notify/webhooks/mail/mailer.ts';

/** Null if no emails are sent. @throws SettingError */
export function readMail({
  SMTP_URL: url,
  DARKROOM_MAIL_FROM: from,
}: Record<string, string | undefined>): MailSettings | null {
  if (!url && !from) return null;
  if (!url || !from)
    throw new SettingError(
      'Set SMTP_URL and DARKROOM_MAIL_FROM both, or neither: the mail server and the sender.',
    );
  const parsed = URL.parse(url);
  // The message omits the address, which may contain a password.
  if (!parsed || !['smtp:', 'smtps:'].includes(parsed.protocol) || !parsed.hostname)
    throw new SettingError('SMTP_URL must be an address such as smtp://user:password@mail.example.com:587.');
  if (!/^(?:[^<>"\r\n]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(from))
    throw new SettingError(
      `DARKROOM_MAIL_FROM is "${from}"; it must be an address such as Darkroom <darkroom@example.com>.`,
    );
  return { url, from };
}
