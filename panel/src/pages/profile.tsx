import { useSession } from '../api/session.ts';
import { Authenticator } from '../features/profile/authenticator.tsx';
import { Credentials } from '../features/profile/credentials.tsx';
import { EmailChoices } from '../features/profile/email-choices.tsx';
import { LanguageChoice } from '../features/profile/language-choice.tsx';
import { OwnData } from '../features/profile/own-data.tsx';
import { Passkeys } from '../features/profile/passkeys.tsx';
import { Sessions } from '../features/profile/sessions.tsx';
import { Page, Section } from '../ui/page.tsx';

export function ProfilePage() {
  const session = useSession();
  const isSetUp = session.has_password || session.via !== 'link';
  return (
    <Page
      title="Profile and security"
      intro={
        isSetUp ? undefined : 'With an email address and a password you can sign in again without a link.'
      }
    >
      <div className="stack wide" style={{ maxWidth: 460 }}>
        <Section title={isSetUp ? 'Name, email and password' : 'Finish setting up'}>
          <Credentials session={session} />
        </Section>
        <Section title="Language">
          <LanguageChoice session={session} />
        </Section>
        <Section title="Passkeys">
          <Passkeys session={session} />
        </Section>
        <Section title="Authenticator">
          <Authenticator session={session} />
        </Section>
        <Section title="Sessions" hint="Where you are signed in">
          <Sessions />
        </Section>
        <EmailChoices session={session} />
        <Section title="Your data">
          <OwnData session={session} />
        </Section>
      </div>
    </Page>
  );
}
