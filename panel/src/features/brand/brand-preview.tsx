import type { AnswerOf } from '@darkroom/server/panel-contract';
import { NativeSelect, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../languages/words.ts';
import classes from './brand.module.css';
import { EmailFrame } from './email-frame.tsx';

export type Preview = AnswerOf<'POST /admin/v1/brand/preview'>;
type Scheme = 'light' | 'dark';

export function BrandPreview({ name, preview }: { name: string; preview: Preview }) {
  const { colours, logo, emails } = preview;
  return (
    <section className={classes.preview} aria-label="Preview">
      <h2>Pages</h2>
      <div className={classes.pages}>
        {(['light', 'dark'] as const).map((scheme) => (
          <div key={scheme} className={classes.page} data-scheme={scheme}>
            <div className={classes.head}>
              {logo && <img src={logo} alt="" height={24} />}
              <span>{name}</span>
            </div>
            <span
              className={classes.button}
              style={{ background: colours[scheme].fill, color: colours[scheme].text }}
            >
              Sign in
            </span>
          </div>
        ))}
      </div>
      <Emails emails={emails} />
    </section>
  );
}

function Emails({ emails }: { emails: Preview['emails'] }) {
  const [kind, setKind] = useState(emails[0]?.kind);
  const [scheme, setScheme] = useState<Scheme>('light');
  const [width, setWidth] = useState<'desk' | 'phone'>('desk');
  const [as, setAs] = useState<'html' | 'text'>('html');
  const email = emails.find((one) => one.kind === kind);
  return (
    <>
      <h2>Emails</h2>
      <div className={classes.choices}>
        <NativeSelect
          aria-label="Email"
          data={emails.map((one) => ({ value: one.kind, label: one.subject }))}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value)}
        />
        <Choice label="As" options={{ html: 'HTML', text: t('Text') }} value={as} onChange={setAs} />
        <Choice
          label="Scheme"
          options={{ light: t('Light'), dark: t('Dark') }}
          value={scheme}
          onChange={setScheme}
        />
        <Choice
          label="Width"
          options={{ desk: t('Desk'), phone: t('Phone') }}
          value={width}
          onChange={setWidth}
        />
      </div>
      {email && as === 'html' && (
        <EmailFrame
          title={email.subject}
          html={email.html}
          scheme={scheme}
          width={width === 'desk' ? 600 : 390}
        />
      )}
      {email && as === 'text' && <pre className={classes.text}>{email.text}</pre>}
    </>
  );
}

function Choice<Value extends string>(props: {
  label: string;
  options: Record<Value, string>;
  value: Value;
  onChange: (value: Value) => void;
}) {
  const data = (Object.keys(props.options) as Value[]).map((value) => ({
    value,
    label: props.options[value],
  }));
  return (
    <SegmentedControl
      size="xs"
      aria-label={props.label}
      data={data}
      value={props.value}
      onChange={props.onChange}
    />
  );
}
