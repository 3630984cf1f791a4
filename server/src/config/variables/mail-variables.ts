import type { VariableGroup } from './variable.ts';

export const mailVariables: VariableGroup = {
  title: 'Emails',
  variables: [
    {
      name: 'SMTP_URL',
      whenUnset: 'none: no emails',
      about: 'Mail server that emails to people are sent by.',
      holds: 'address',
      more: 'Such as `smtp://user:password@mail.example.com:587`; `smtps://` is TLS from the start. Set it and the sender, the same for every process. Emails carry [alerts](guides/limits.md#alerts), also [of margins](guides/models.md#when-a-model-loses-money), and links of [sign-up](guides/sign-up.md).',
    },
    {
      name: 'DARKROOM_MAIL_FROM',
      whenUnset: 'none',
      about: 'Sender of those emails.',
      holds: 'text',
      more: 'Such as `Darkroom <darkroom@example.com>`.',
    },
  ],
};
