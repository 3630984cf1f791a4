import Type from 'typebox';
import { stages } from '../jobs/guardrails/guardrail-settings.ts';

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
        'What it is asked about: requests before they are accepted, images before they are released; both by default.',
    }),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 30_000, description: 'For its answer; 5,000 by default.' }),
  ),
  whenDown: Type.Optional(
    Type.Enum(['allow', 'refuse'], {
      description:
        'What follows where it does not answer, or not in a way that can be understood; "refuse" by default.',
    }),
  ),
  blockWords: words('Words and phrases that no prompt may have.'),
  maskWords: words('Words and phrases that are replaced in prompts by ***.'),
};

/** `policy` in the configuration file. */
export const policySchema = Type.Object(
  {
    ...fields,
    accounts: Type.Optional(
      Type.Record(Type.String({ format: 'uuid' }), Type.Object(fields, { additionalProperties: false }), {
        description: 'By the id of the account: what holds for it instead.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Who has a say in what is made.' },
);
