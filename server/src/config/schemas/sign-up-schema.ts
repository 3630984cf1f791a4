import Type, { type TObject } from 'typebox';

const document = (name: string) =>
  Type.Optional(
    Type.Object(
      {
        url: Type.String({ pattern: '^https?://', description: 'The address of the document.' }),
        version: Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'For example the day from which it applies; stored with each acceptance and its time.',
        }),
      },
      {
        additionalProperties: false,
        description: `${name} that people accept before their account exists; none by default.`,
      },
    ),
  );

/** `signUp` in the configuration file. */
export function signUpSchema<Limits extends TObject>(
  amount: (description: string) => ReturnType<typeof Type.String>,
  limits: Limits,
) {
  return Type.Object(
    {
      terms: document('The terms'),
      privacy: document('The privacy policy'),
      freeCredit: Type.Optional(amount('The credit that each address gets once; none by default.')),
      freeCreditsPerDay: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          description:
            'How many free credits are given a day, to all together; accounts beyond it have none; 100 by default.',
        }),
      ),
      limits: Type.Optional(limits),
    },
    {
      additionalProperties: false,
      description:
        'The rules for people who sign up, once DARKROOM_SIGN_UP is set: the documents that they accept, the credit that each address gets once, and the limits of their accounts.',
    },
  );
}
