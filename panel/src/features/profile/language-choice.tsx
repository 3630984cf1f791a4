import type { Language, Session } from '@darkroom/server/panel-contract';
import { NativeSelect } from '@mantine/core';
import { useSend } from '../../api/queries.ts';
import { keepLanguage, languages } from '../../languages/language.ts';
import { t } from '../../languages/words.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';

/** The language of the panel and of emails. Choosing another reloads the page. */
export function LanguageChoice({ session }: { session: Session }) {
  const save = useSend('POST /panel/session/language', ['GET /panel/session']);
  const choose = (text: string) => {
    const language = text === '' ? null : (text as Language); // of the options below
    save.mutate(
      { body: { language } },
      {
        onSuccess() {
          if (keepLanguage(language)) location.reload();
        },
      },
    );
  };
  return (
    <>
      <NativeSelect
        label="Language"
        description="For this panel and emails to you"
        value={session.language ?? ''}
        disabled={save.isPending}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[
          { value: '', label: t('Same as the browser') },
          ...Object.entries(languages).map(([value, label]) => ({ value, label })),
        ]}
      />
      <ProblemAlert error={save.error} />
    </>
  );
}
