import type { VariableGroup } from './variable.ts';

export const openVariables: VariableGroup = {
  title: 'What is open',
  variables: [
    {
      name: 'DARKROOM_DOORS',
      whenUnset: 'openai, gemini, mcp',
      about: 'Other vendors’ APIs that Darkroom serves, or none.',
      holds: 'text',
      more: 'For example `openai,mcp`, or `none`.',
    },
    {
      name: 'DARKROOM_DOOR_ALIASES',
      whenUnset: 'none',
      about: 'Names by which clients of those APIs may call models.',
      holds: 'text',
      more: 'For example `gpt-image-1=nb2,default=pro`. Unknown models are reported at startup (`door_alias.unknown`) and by `darkroom doctor`.',
      also: 'by `doorAliases` of the file',
    },
    {
      name: 'DARKROOM_SHARING',
      whenUnset: 'false',
      about: 'Whether members may make public links to images.',
      holds: 'text',
      more: 'Links expire, show prompts only if their maker chooses so, and can be revoked. With `false` existing links do not work either.',
    },
    {
      name: 'DARKROOM_LANDING_PAGE',
      whenUnset: 'false',
      about: 'Whether visitors see a landing page at /, instead of the sign-in page.',
      holds: 'text',
      more: 'See [Your brand](guides/operating.md#your-brand).',
    },
    {
      name: 'DARKROOM_LANDING_EXAMPLES',
      whenUnset: 'two built-in drawings',
      about: 'The public link whose images visitors see at /.',
      holds: 'secret',
      more: 'The page shows its first four images. It needs `DARKROOM_SHARING=true`.',
    },
    {
      name: 'DARKROOM_STATUS_PAGE',
      whenUnset: 'false',
      about: 'Whether anyone may see the status of the models at /status.',
      holds: 'text',
      more: 'See [A status page](guides/operating.md#a-status-page).',
    },
    {
      name: 'DARKROOM_OPERATOR_DOCS',
      whenUnset: 'true',
      about: 'Whether /docs has the pages for operators.',
      holds: 'text',
      more: 'With `false`, `/docs` leaves out *Operate*.',
    },
  ],
};
