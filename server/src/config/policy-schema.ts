import Type from 'typebox';
import { longestDays } from '../accounts/retention/retention.ts';
import { stages, strikeActions } from '../jobs/guardrails/guardrail-settings.ts';

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
      description: 'A service that speaks the generic guardrail API of LiteLLM; the whole address.',
    }),
  ),
  stages: Type.Optional(
    Type.Array(Type.Enum([...stages]), {
      description:
        'The moments of a question: requests before they are accepted, images before they are released; both by default.',
    }),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 30_000, description: 'The time for its answer; 5,000 by default.' }),
  ),
  whenDown: Type.Optional(
    Type.Enum(['allow', 'refuse'], {
      description:
        'The result when the service does not answer, or its answer cannot be understood; "refuse" by default.',
    }),
  ),
  blockWords: words('Words and phrases that no prompt may have.'),
  maskWords: words('Words and phrases that are replaced in prompts by ***.'),
};

/** `policy` in the configuration file. */
export const policySchema = Type.Object(
  {
    ...fields,
    keepPromptsDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: longestDays,
        description: 'Days for which refused prompts are kept, for operators; 0, the default, keeps none.',
      }),
    ),
    strikes: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({
            minimum: 1,
            maximum: 1_000,
            description: 'So many refusals of one account.',
          }),
          withinSeconds: Type.Integer({
            minimum: 1,
            maximum: 30 * 24 * 60 * 60,
            description: 'The period in which refusals count.',
          }),
          action: Type.Enum([...strikeActions], {
            description:
              'The account is told; with "slow" it is paused as well for that time, with "pause" until an operator resumes it.',
          }),
        },
        { additionalProperties: false, description: 'The rule for accounts with many refusals.' },
      ),
    ),
    accounts: Type.Optional(
      Type.Record(Type.String({ format: 'uuid' }), Type.Object(fields, { additionalProperties: false }), {
        description: 'Settings of single accounts, by id, instead of these.',
      }),
    ),
  },
  { additionalProperties: false, description: 'The policy for requests and images.' },
);
