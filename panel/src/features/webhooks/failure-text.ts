import { t } from '../../languages/words.ts';

const texts: Record<string, string> = {
  dns_failed: t('name not found'),
  blocked_address: t('address not allowed'),
  connect_refused: t('connection refused'),
  tls_failed: t('TLS failed'),
  connection_lost: t('connection lost'),
  timed_out: t('timed out'),
  redirected: t('redirected'),
  gone: t('gone for good'),
  status: t('status'),
  response_too_large: t('response too large'),
  invalid_response: t('no HTTP response'),
  mail_refused: t('email refused'),
  mail_unset: t('no mail server set'),
  email_unwanted: t('no longer a recipient'),
  bucket_refused: t('bucket refused it'),
  image_gone: t('image deleted'),
  image_unreadable: t('image not readable'),
  secret_unreadable: t('secret not readable'),
  interrupted: t('interrupted'),
};

export function failureText(failure: string): string {
  return texts[failure] ?? failure.replaceAll('_', ' ');
}
