import Type from 'typebox';
import { maxNameLength } from '../../../accounts/name.ts';
import { maxEmailLength } from '../../../accounts/people/email.ts';
import { maxPasswordLength } from '../../../accounts/people/password.ts';
import { closed } from '../../../base/http/schemas.ts';

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

export const email = text(maxEmailLength);
export const password = text(maxPasswordLength);
export const personName = text(maxNameLength);
export const code = text(20);
export const linkToken = text(100);

const version = Type.Optional(Type.String({ maxLength: 100 }));
export const acceptedVersions = closed({ terms: version, privacy: version });
