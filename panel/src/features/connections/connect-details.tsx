import type { ConnectableProvider, ConnectionRow } from '@darkroom/server/panel-contract';
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { send } from '../../api/send.ts';
import { t, told } from '../../languages/words.ts';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { Form } from '../../ui/form/form.tsx';
import { PasswordField } from '../../ui/form/password-field.tsx';
import { useIsShown } from '../../use-is-shown.ts';
import classes from './connections.module.css';
import { type Trial, TrialWords } from './trial-words.tsx';

interface Details {
  key: string;
  address: string;
  name: string;
}

/**
 * The form of a connection. Pasted details are tested immediately, but saved only when the form is sent. `kept` is the
 * connection to replace, which keeps its key if the key field stays empty.
 */
export function ConnectDetails(props: {
  provider: ConnectableProvider;
  /** Names of existing connections. */
  taken: string[];
  kept?: ConnectionRow;
  onSaved: (name: string) => void;
}) {
  const { provider, kept } = props;
  const [details, setDetails] = useState<Details>({
    key: '',
    address: kept?.base_url ?? '',
    name: kept?.name ?? freeName(provider.provider, props.taken),
  });
  const pasted = useRef(false);
  const change = (some: Partial<Details>) => setDetails((old) => ({ ...old, ...some }));
  const { attempt, save, result } = useConnecting(provider, kept, props.onSaved);
  const lacksKey = !details.key && !kept && needsKey(provider, details.address);
  const isComplete = !lacksKey && (details.address !== '' || !provider.needs_address);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a paste starts one automatic test, typing none
  useEffect(() => {
    if (!pasted.current) return;
    pasted.current = false;
    if (isComplete) attempt.mutate(details);
  }, [details]);
  const onPaste = () => {
    pasted.current = true;
  };
  const served = fieldErrors(save.error);
  const advice = told(provider.key_advice);
  const address = (
    <TextInput
      label="Address"
      description={told(provider.address_advice)}
      placeholder={provider.needs_address ? 'http://' : 'The provider’s own'}
      data-autofocus={provider.needs_address || undefined}
      autoComplete="off"
      spellCheck={false}
      value={details.address}
      error={served['/base_url']}
      onPaste={onPaste}
      onChange={(event) => change({ address: event.currentTarget.value.trim() })}
    />
  );
  return (
    <div className={classes.narrow}>
      <Form noValidate error={save.error ?? attempt.error} onSubmit={() => save.mutate({ details })}>
        {provider.needs_address && address}
        <PasswordField
          label={keyLabel(provider, kept)}
          description={kept ? `${advice} Leave empty to keep the current key.` : advice}
          autoComplete="new-password"
          spellCheck={false}
          value={details.key}
          error={served['/key']}
          onPaste={onPaste}
          onChange={(event) => change({ key: event.currentTarget.value })}
        />
        {!provider.needs_address && address}
        {!kept && (
          <TextInput
            label="Name"
            description="Routes use this name: lower-case letters, digits, dots and hyphens."
            autoComplete="off"
            maxLength={40}
            value={details.name}
            error={served['/name']}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
        )}
        <Tried
          isTrying={attempt.isPending}
          trial={result(details)}
          onSave={() => save.mutate({ details, anyway: true })}
        />
        <div className="row">
          <Button type="submit" loading={save.isPending}>
            {kept ? 'Replace' : 'Connect'}
          </Button>
          <p className="small soft">It is tested first, at no cost.</p>
        </div>
      </Form>
    </div>
  );
}

function Tried(props: { isTrying: boolean; trial: Trial | undefined; onSave: () => void }) {
  const { isTrying, trial } = props;
  return (
    <div aria-live="polite">
      {isTrying && <p className="soft small">Trying, without making an image…</p>}
      {trial && !isTrying && (
        <TrialWords trial={trial}>
          {!trial.ok && (
            <div>
              <Button size="compact-sm" variant="default" onClick={props.onSave}>
                Save anyway
              </Button>
            </div>
          )}
        </TrialWords>
      )}
    </div>
  );
}

/** Tries and saves details. A trial is valid only for the details that it tried. */
function useConnecting(
  provider: ConnectableProvider,
  kept: ConnectionRow | undefined,
  onSaved: (name: string) => void,
) {
  const client = useQueryClient();
  const isShown = useIsShown();
  const [tried, setTried] = useState<{ details: Details; trial: Trial }>();
  const result = (details: Details) =>
    tried?.details.key === details.key && tried.details.address === details.address ? tried.trial : undefined;
  const attempt = useMutation({
    mutationFn: async (details: Details) => {
      const body = { ...bodyOf(provider, details), ...(kept && { name: kept.name }) };
      const trial = await send('POST /panel/operator/connections/try', { body });
      setTried({ details, trial });
      return trial;
    },
  });
  const save = useMutation({
    mutationFn: async ({ details, anyway = false }: { details: Details; anyway?: boolean }) => {
      const trial = result(details) ?? (await attempt.mutateAsync(details));
      if (!trial.ok && !anyway) return;
      const own = bodyOf(provider, details);
      const address = (trial.ok && trial.base_url) || own.base_url;
      const { name } = details;
      const body = { ...own, ...(address && { base_url: address }), replaces: kept !== undefined };
      await send('PUT /admin/v1/connections/:name', { params: { name }, body });
      await client.invalidateQueries({ queryKey: ['GET /panel/operator/connections'] });
      // A late answer must not lead away from another page.
      if (isShown.current) onSaved(name);
    },
  });
  return { attempt, save, result };
}

function bodyOf({ provider }: ConnectableProvider, { key, address }: Details) {
  return { provider, ...(address && { base_url: address }), ...(key.trim() && { key: key.trim() }) };
}

function needsKey({ needs_key }: ConnectableProvider, address: string): boolean {
  return needs_key === 'always' || (needs_key === 'elsewhere' && address === '');
}

function keyLabel({ needs_key }: ConnectableProvider, kept: ConnectionRow | undefined): string {
  if (kept) return t('New key');
  return needs_key === 'never' ? t('Key (optional)') : t('Key');
}

function freeName(provider: string, taken: readonly string[]): string {
  let name = provider;
  for (let number = 2; taken.includes(name); number += 1) name = `${provider}-${number}`;
  return name;
}
