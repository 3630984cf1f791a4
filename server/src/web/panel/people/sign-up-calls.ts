import Type from 'typebox';
import { heardLanguage } from '../../../accounts/people/language.ts';
import { confirmSignUp } from '../../../accounts/sign-up/confirm-sign-up.ts';
import { requestSignUp } from '../../../accounts/sign-up/request-sign-up.ts';
import { requestPasswordReset, resetPassword } from '../../../accounts/sign-up/reset-password.ts';
import { closed } from '../../../base/http/schemas.ts';
import { AppError } from '../../../errors.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { beginSession } from './begin-session.ts';
import { acceptedVersions, email, linkToken, password, personName } from './person-schemas.ts';
import { answerSignIn } from './sign-in-calls.ts';

/** The limit on `captcha` leaves room: vendors' tokens have up to 4,000 characters. */
const askFor = closed({ email, captcha: Type.Optional(Type.String({ maxLength: 16_000 })) });

export function signUpCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('POST /panel/sign-in/captcha', {
      access: 'anyone',
      async handle() {
        if (!deps.captcha?.challenge) throw new AppError('not_found', 'No puzzle is needed here.');
        return deps.captcha.challenge();
      },
    }),

    panelCall('POST /panel/sign-up', {
      access: 'anyone',
      body: askFor,
      async handle({ body, browser: { address: clientAddress, headers } }) {
        const language = heardLanguage(headers.get('accept-language'));
        await requestSignUp(deps, { ...body, clientAddress, language });
        return null;
      },
    }),

    panelCall('POST /panel/sign-up/confirm', {
      access: 'anyone',
      body: closed({
        token: linkToken,
        password,
        name: Type.Optional(personName),
        accepted: Type.Optional(acceptedVersions),
      }),
      handle: async (request) =>
        beginSession(deps, request, await confirmSignUp(deps, request.browser, request.body)),
    }),

    panelCall('POST /panel/sign-in/forgotten', {
      access: 'anyone',
      body: askFor,
      async handle({ body, browser: { address: clientAddress } }) {
        if (!deps.installation.mailsLinks)
          throw new AppError(
            'not_found',
            'This installation sends no links. Ask an operator for a one-time link.',
          );
        await requestPasswordReset(deps, { ...body, clientAddress });
        return null;
      },
    }),

    panelCall('POST /panel/sign-in/reset', {
      access: 'anyone',
      body: closed({ token: linkToken, password }),
      async handle(request) {
        return answerSignIn(deps, request, await resetPassword(deps, request.browser, request.body));
      },
    }),
  ];
}
