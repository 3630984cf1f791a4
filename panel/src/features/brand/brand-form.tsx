import type { AnswerOf, BodyOf } from '@darkroom/server/panel-contract';
import { Button, FileButton, Input, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ChangeEvent, useEffect, useRef, useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { Form } from '../../ui/form/form.tsx';
import classes from './brand.module.css';
import { BrandPreview, type Preview } from './brand-preview.tsx';

type Saved = AnswerOf<'GET /admin/v1/brand'>;
type Wanted = BodyOf<'PUT /admin/v1/brand'>;

/** How long typing must pause before a preview is requested. */
const settleMs = 300;

export function BrandForm({ saved }: { saved: Saved }) {
  const [fields, setFields] = useState(() => fieldsOf(saved));
  const { shown, errors } = usePreview(wantedOf(fields));
  const save = useSend('PUT /admin/v1/brand');
  const set = (changed: Partial<Fields>) => setFields((before) => ({ ...before, ...changed }));
  const submit = () => {
    const body = { ...wantedOf(fields), version: saved.version };
    save.mutate({ body }, { onSuccess: () => location.reload() });
  };
  const isNamed = fields.name.trim() !== '';
  const text = (name: (typeof texts)[number]) => ({
    value: fields[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => set({ [name]: event.currentTarget.value }),
    error: errors[`/${name}`],
  });
  return (
    <div className={classes.columns}>
      <Form error={save.error} onSubmit={submit} noValidate>
        <TextInput
          label="Name"
          description="One line, used in titles, on public pages and as the sender of emails"
          placeholder="Acme Images"
          maxLength={60}
          {...text('name')}
          error={isNamed && errors['/name']}
        />
        <LogoField
          has={fields.logo === undefined ? saved.logo !== null : fields.logo !== null}
          error={errors['/logo']}
          onChange={(logo) => set({ logo })}
        />
        <TextInput
          label="Colour"
          description="For buttons. Mixed with ink where it would be hard to see"
          placeholder="#0b7285"
          maxLength={7}
          {...text('accent')}
          rightSection={<Picker value={fields.accent} onChange={(accent) => set({ accent })} />}
        />
        <TextInput label="Support" placeholder="help@example.com" {...text('support_email')} />
        <TextInput label="Terms" placeholder="https://example.com/terms" {...text('terms_url')} />
        <TextInput label="Privacy" placeholder="https://example.com/privacy" {...text('privacy_url')} />
        <div className="row">
          <ActionButton
            type="submit"
            loading={save.isPending}
            why={isNamed ? undefined : 'Give the brand a name'}
          >
            Save brand
          </ActionButton>
          {saved.name !== null && <Remove />}
        </div>
      </Form>
      {shown && <BrandPreview name={fields.name.trim() || 'Darkroom'} preview={shown} />}
    </div>
  );
}

const texts = ['name', 'accent', 'support_email', 'terms_url', 'privacy_url'] as const;

interface Fields extends Record<(typeof texts)[number], string> {
  /** Undefined if unchanged, null if removed. */
  logo: string | null | undefined;
}

function fieldsOf({ name, accent, support_email, terms_url, privacy_url }: Saved): Fields {
  return {
    ...{ name: name ?? '', accent: accent ?? '', support_email: support_email ?? '', logo: undefined },
    ...{ terms_url: terms_url ?? '', privacy_url: privacy_url ?? '' },
  };
}

function wantedOf({ name, logo, ...fields }: Fields): Wanted {
  const given = Object.entries(fields).map(([field, value]) => [field, value.trim() || null]);
  return { ...Object.fromEntries(given), name: name.trim(), ...(logo !== undefined && { logo }) };
}

function Picker({ value, onChange }: { value: string; onChange: (colour: string) => void }) {
  return (
    <input
      type="color"
      aria-label="Choose a colour"
      className={classes.colour}
      value={/^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : '#211d1a'}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function usePreview(wanted: Wanted): { shown: Preview | undefined; errors: Record<string, string> } {
  const [shown, setShown] = useState<Preview>();
  const [error, setError] = useState<unknown>(null);
  /** The server's PNG of the chosen file. Later previews send this PNG, because it is much smaller than the file. */
  const drawn = useRef<{ file: string; png: string }>(null);
  const written = JSON.stringify({ ...wanted, name: wanted.name || 'Darkroom' });
  const [settled] = useDebouncedValue(written, settleMs);
  useEffect(() => {
    const outdated = new AbortController();
    const ask = async () => {
      const { logo: file, ...body } = JSON.parse(settled) as Wanted;
      const logo = file && drawn.current?.file === file ? drawn.current.png : file;
      const input = { body: { ...body, ...(logo !== undefined && { logo }) } };
      const answer = await send('POST /admin/v1/brand/preview', input, { signal: outdated.signal });
      if (file && answer.logo) drawn.current = { file, png: answer.logo.slice(pngPrefix.length) };
      return answer;
    };
    const show = (answer: Preview | undefined, failure: unknown) => {
      if (outdated.signal.aborted) return;
      if (answer) setShown(answer);
      setError(failure);
    };
    ask().then(
      (answer) => show(answer, null),
      (failure: unknown) => show(undefined, failure),
    );
    return () => outdated.abort();
  }, [settled]);
  return { shown, errors: fieldErrors(error) };
}

const pngPrefix = 'data:image/png;base64,';

function LogoField(props: {
  has: boolean;
  error: string | undefined;
  onChange: (logo: string | null) => void;
}) {
  // Clears the field, so that a removed file can be chosen again.
  const forget = useRef<() => void>(null);
  const take = async (file: File | null) => {
    forget.current?.();
    if (file) props.onChange(await base64Of(file));
  };
  return (
    <Input.Wrapper
      role="group"
      aria-label="Logo"
      label="Logo"
      labelElement="div"
      description="PNG, JPEG, WebP or SVG, at most 256 KiB. It is shown 40 pixels high"
      error={props.error}
      errorProps={{ role: 'alert' }}
    >
      <div className="row" style={{ marginBlock: 5 }}>
        <FileButton
          accept=".png,.jpg,.jpeg,.webp,.svg"
          resetRef={forget}
          onChange={(file) => void take(file)}
        >
          {(button) => (
            <Button variant="default" size="compact-sm" {...button}>
              {props.has ? 'Choose another' : 'Choose a file'}
            </Button>
          )}
        </FileButton>
        {props.has && (
          <Button variant="default" size="compact-sm" onClick={() => props.onChange(null)}>
            Remove the logo
          </Button>
        )}
      </div>
    </Input.Wrapper>
  );
}

/** The maximum number of bytes of a file to send: enough for the server to refuse a file that is too large. */
const mostRead = 262_145;

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.slice(0, mostRead).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function Remove() {
  const remove = useSend('DELETE /admin/v1/brand');
  return (
    <ConfirmButton
      size="sm"
      label="Remove brand"
      name="Remove brand"
      title="Remove the brand?"
      action="Remove brand"
      sending={remove}
      onConfirm={() => remove.mutate({}, { onSuccess: () => location.reload() })}
    >
      This is Darkroom again, in the panel, on public pages and in emails. The logo is deleted.
    </ConfirmButton>
  );
}
