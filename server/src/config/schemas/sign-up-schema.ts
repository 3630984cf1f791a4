import Type, { type TObject } from 'typebox';

const document = (name: string) =>
  Type.Optional(
    Type.Object(
      {
        url: Type.String({ pattern: '^https?://', description: 'The address of the document.' }),
        version: Type.String({
          minLength: 1,
          maxLength: 100,
          description:
            'The version of the document, such as the day from which it applies. Darkroom stores it with the time of each acceptance.',
        }),
      },
      {
        additionalProperties: false,
        description: `${name} that people accept before their account exists; none by default.`,
      },
    ),
  );

export function signUpSchema<Limits extends TObject>(
  amount: (description: string) => ReturnType<typeof Type.String>,
  limits: Limits,
) {
  return Type.Object(
    {
      terms: document('The terms'),
      privacy: document('The privacy policy'),
      freeCredit: Type.Optional(amount('The credit that each email address gets once; none by default.')),
      freeCreditsPerDay: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          description:
            'How many accounts get the free credit per day, in the whole installation. Further accounts get none; 100 by default.',
        }),
      ),
      limits: Type.Optional(limits),
    },
    {
      additionalProperties: false,
      description:
        'The rules for people who sign up, once DARKROOM_SIGN_UP is set: the documents that they accept, the credit that each email address gets once, and the limits of their accounts.',
    },
  );
}
