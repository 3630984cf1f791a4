import type { EmailTopic, Session } from '@darkroom/server/panel-contract';
import { Checkbox } from '@mantine/core';
import { useRead, useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { Section } from '../../ui/page.tsx';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';

const topics: { topic: EmailTopic; label: string }[] = [
  { topic: 'balance', label: t('Low balance') },
  { topic: 'limits', label: t('Spend limits that are nearly used, or stop images') },
  { topic: 'keys', label: t('API keys that end within a week') },
];
const ofOperators: typeof topics = [
  { topic: 'margins', label: t('Models that are sold below their cost, or whose cost has risen') },
];

export function EmailChoices({ session }: { session: Session }) {
  const choices = useRead('GET /panel/session/emails', {});
  const save = useSend('POST /panel/session/emails', ['GET /panel/session/emails']);
  if (choices.data?.sends === false) return null;
  return (
    <Section
      title="Emails"
      hint={
        session.operator
          ? t('For the installation, and for accounts that you own or handle billing for')
          : t('For accounts that you own or handle billing for')
      }
    >
      <Await query={choices}>
        {({ off }) => (
          <div className="stack">
            {!session.person.email_confirmed && (
              <p className="soft small">
                Your address is not confirmed, so nothing is sent to it. An operator confirms it.
              </p>
            )}
            {[...topics, ...(session.operator ? ofOperators : [])].map(({ topic, label }) => {
              const isOff = off.includes(topic);
              const others = off.filter((one) => one !== topic);
              return (
                <Checkbox
                  key={topic}
                  label={label}
                  checked={!isOff}
                  disabled={save.isPending}
                  onChange={() => save.mutate({ body: { off: isOff ? others : [...others, topic] } })}
                />
              );
            })}
            <p className="soft small">
              Emails about your sign-in, payments and what you asked for are always sent.
            </p>
            <ProblemAlert error={save.error} />
          </div>
        )}
      </Await>
    </Section>
  );
}
