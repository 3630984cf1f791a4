import { useRead } from '../api/queries.ts';
import { AskForLink } from '../features/people/ask-for-link.tsx';
import { OidcButton } from '../features/people/oidc-button.tsx';
import { paths } from '../paths.ts';
import { Link } from '../ui/link.tsx';
import { Plain } from '../ui/plain.tsx';
import { Await } from '../ui/problem-alert.tsx';

export function SignUpPage() {
  const options = useRead('GET /panel/sign-in', {});
  return (
    <Await query={options} wait={null}>
      {({ sign_up: signUp, oidc }) =>
        signUp?.open ? (
          <AskForLink
            call="POST /panel/sign-up"
            title="Sign up"
            about="Enter your address. A link in an email makes your account."
            button="Send me the link"
            instead={oidc && <OidcButton returnTo={paths.root()}>Sign up with {oidc.name}</OidcButton>}
          />
        ) : (
          <Plain title="Sign up">
            <p className="soft">Accounts are made by invitation here.</p>
            <p>
              <Link href={paths.signIn()} reload>
                Sign in
              </Link>
            </p>
          </Plain>
        )
      }
    </Await>
  );
}
