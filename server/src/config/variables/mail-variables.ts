import type { VariableGroup } from './variable.ts';

export const mailVariables: VariableGroup = {
  title: 'Emails',
  variables: [
    {
      name: 'SMTP_URL',
      whenUnset: 'none: no emails',
      about: 'Mail server that sends the emails to people.',
      holds: 'address',
      more: 'For example `smtp://user:password@mail.example.com:587`; `smtps://` uses TLS from the start. Set it together with `DARKROOM_MAIL_FROM`, and to the same values for every process. Emails carry [alerts](guides/limits.md#alerts), [margin alerts](guides/models.md#when-a-model-loses-money) and [sign-up](guides/sign-up.md) links.',
    },
    {
      name: 'DARKROOM_MAIL_FROM',
      whenUnset: 'none',
      about: 'Sender of those emails.',
      holds: 'text',
      more: 'For example `Darkroom <darkroom@example.com>`.',
    },
  ],
};
