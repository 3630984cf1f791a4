import Type from 'typebox';
import { longestDays } from '../../accounts/retention/retention.ts';
import { stages, strikeActions } from '../../jobs/guardrails/guardrail-settings.ts';

const words = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }), {
      maxItems: 10_000,
      description,
    }),
  );

const fields = {
  url: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s/?#:]',
      description:
        'The full address of a service with LiteLLM’s generic guardrail API. The service may be on this machine; none by default.',
    }),
  ),
  stages: Type.Optional(
    Type.Array(Type.Enum([...stages]), {
      description:
        'What Darkroom checks: `prompt` checks requests with their input images before they are accepted, `image` lets the service check results before they are released. Without `prompt`, `blockWords` and `maskWords` do nothing; both by default.',
    }),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 30_000,
      description: 'Milliseconds that the service has for its answer; 5,000 by default.',
    }),
  ),
  whenDown: Type.Optional(
    Type.Enum(['allow', 'refuse'], {
      description:
        'What happens without a valid answer in time: `allow` or `refuse`. An answer is invalid if it exceeds 1 MiB, has more texts than the question, or has a text that no client could send, such as one of more than 32,768 characters; refuse by default.',
    }),
  ),
  blockWords: words(
    'Words and phrases that no prompt may have, in upper or lower case. Darkroom refuses them without asking the service. Invisible characters do not hide them; dashes, `_` and `.` between words count as white space; none by default.',
  ),
  maskWords: words('Words and phrases that Darkroom replaces with `***` in prompts; none by default.'),
};

export const policySchema = Type.Object(
  {
    ...fields,
    keepPromptsDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: longestDays,
        description: 'Days for which operators can read refused prompts, 0 for none; 0 by default.',
      }),
    ),
    strikes: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({
            minimum: 1,
            maximum: 1_000,
            description: 'The number of refusals of one account that make a strike.',
          }),
          withinSeconds: Type.Integer({
            minimum: 1,
            maximum: 30 * 24 * 60 * 60,
            description: 'The number of seconds within which these refusals happen.',
          }),
          action: Type.Enum([...strikeActions], {
            description:
              '`tell` reports the strike to the account; `slow` also pauses the account for `withinSeconds`, and `pause` until an operator resumes it.',
          }),
        },
        {
          additionalProperties: false,
          description: 'The rule for accounts with many refusals; none by default.',
        },
      ),
    ),
    accounts: Type.Optional(
      Type.Record(Type.String({ format: 'uuid' }), Type.Object(fields, { additionalProperties: false }), {
        description:
          'Settings for single accounts, by id; each field replaces the one above. `"stages": []` turns the policy off. Unknown ids are reported at startup (`policy.accounts_unknown`) and by `darkroom doctor`; none by default.',
      }),
    ),
  },
  { additionalProperties: false, description: 'The policy for requests and images.' },
);
