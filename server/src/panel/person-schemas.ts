import Type from 'typebox';
import { maxPasswordLength } from '../accounts/people/password.ts';

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

export const email = text(254);
export const password = text(maxPasswordLength);
export const personName = text(100);
export const code = text(20);
export const linkToken = text(100);

export function object(fields: Parameters<typeof Type.Object>[0]) {
  return Type.Object(fields, { additionalProperties: false });
}
