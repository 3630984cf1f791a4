import type { AnswerOf } from '@darkroom/server/panel-contract';
import { NativeSelect, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import classes from './brand.module.css';
import { EmailFrame } from './email-frame.tsx';

export type Preview = AnswerOf<'POST /admin/v1/brand/preview'>;
type Scheme = 'light' | 'dark';

/** A page and the emails, light and dark, as wide as on a desk and on a phone. */
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
  const [width, setWidth] = useState('600');
  const [as, setAs] = useState('html');
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
        <SegmentedControl
          size="xs"
          aria-label="As"
          data={[
            { value: 'html', label: 'HTML' },
            { value: 'text', label: 'Text' },
          ]}
          value={as}
          onChange={setAs}
        />
        <SegmentedControl
          size="xs"
          aria-label="Scheme"
          data={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          value={scheme}
          onChange={(value) => setScheme(value === 'dark' ? 'dark' : 'light')}
        />
        <SegmentedControl
          size="xs"
          aria-label="Width"
          data={[
            { value: '600', label: 'Desk' },
            { value: '390', label: 'Phone' },
          ]}
          value={width}
          onChange={setWidth}
        />
      </div>
      {email && as === 'html' && (
        <EmailFrame title={email.subject} html={email.html} scheme={scheme} width={Number(width)} />
      )}
      {email && as === 'text' && <pre className={classes.text}>{email.text}</pre>}
    </>
  );
}
