import Type from 'typebox';
import { maxPasswordLength } from '../../../../accounts/people/password.ts';
import { closed } from '../../../../base/http/schemas.ts';

/** The body of calls that ask a signed-in person for their password again. */
export const ownPassword = closed(
  { current_password: Type.Optional(Type.String({ minLength: 1, maxLength: maxPasswordLength })) },
  { title: 'OwnPassword' },
);
