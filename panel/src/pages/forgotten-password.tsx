import { AskForLink } from '../features/people/ask-for-link.tsx';

export function ForgottenPasswordPage() {
  return (
    <AskForLink
      call="POST /panel/sign-in/forgotten"
      title="Forgotten password"
      about="Enter the address that you sign in with. A link in an email sets a new password."
      button="Send me a link"
    />
  );
}
