import type { AuthorizationRequest, ModelId, Session } from '@darkroom/server/panel-contract';
import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useRead, useSend } from '../api/queries.ts';
import { rememberedAccount } from '../api/remembered-account.ts';
import { send } from '../api/send.ts';
import { useSession } from '../api/session.ts';
import { ModelsField } from '../features/keys/models-field.tsx';
import { useSearchState } from '../search-state.ts';
import { Form } from '../ui/form/form.tsx';
import { Notice } from '../ui/notice.tsx';
import { Plain } from '../ui/plain.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

/** The page where a program asks a person for access to an account (OAuth's authorization endpoint). */
export function AuthorizePage() {
  const asked = useAuthorizationRequest();
  const session = useSession();
  const look = useQuery({
    queryKey: ['asking program', asked],
    queryFn: () => send('POST /panel/grants/look', { body: asked }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const account = rememberedAccount(session);
  if (!look.data || !account) {
    return (
      <Plain title={look.error ? 'This program cannot be connected' : 'Connect a program'}>
        <ProblemAlert error={look.error} />
        {look.data && (
          <p className="soft">You are not a member of an account. Ask an operator to invite you to one.</p>
        )}
      </Plain>
    );
  }
  return (
    <Plain title={`Connect ${look.data.name}`}>
      <p className="soft">
        This program calls itself <strong>{look.data.name}</strong> and sends you back to{' '}
        <strong>{look.data.returns_to}</strong>. Continue only if you started this yourself.
      </p>
      <ConsentForm
        asked={asked}
        session={session}
        account={account.account_id}
        refusalUrl={look.data.refusal_url}
      />
    </Plain>
  );
}

function ConsentForm(props: {
  asked: AuthorizationRequest;
  session: Session;
  account: string;
  refusalUrl: string;
}) {
  const { accounts, person } = props.session;
  const [account, setAccount] = useState(props.account);
  const known = useRead('GET /api/v1/models', { params: { account_id: account } }).data?.data ?? [];
  const [chosen, setChosen] = useState<ModelId[] | null>(null);
  const grant = useSend('POST /panel/accounts/:account_id/grants');
  const allow = () =>
    grant.mutate(
      { params: { account_id: account }, body: { ...props.asked, models: chosen } },
      { onSuccess: ({ return_to }) => location.assign(return_to) },
    );
  return (
    <Form error={grant.error} onSubmit={allow}>
      <NativeSelect
        label="Account"
        value={account}
        onChange={(event) => setAccount(event.currentTarget.value)}
        data={accounts.map(({ account_id, name }) => ({ value: account_id, label: name }))}
      />
      <ModelsField
        label="Models it may use"
        models={known}
        chosen={chosen}
        error={chosen?.length === 0 && 'Choose at least one model'}
        onChange={setChosen}
      />
      <Notice tone="warn" title="It can spend the balance of this account and see its images">
        It gets an API key of its own. Disable that key at any time to end its access.
      </Notice>
      <Button
        type="submit"
        loading={grant.isPending || grant.isSuccess}
        disabled={chosen?.length === 0}
        fullWidth
      >
        Allow
      </Button>
      <Button variant="default" component="a" href={props.refusalUrl} fullWidth>
        Refuse
      </Button>
      <p className="soft small">Signed in as {person.name}.</p>
    </Form>
  );
}

/** Missing parts stay empty, so that the server reports them. */
function useAuthorizationRequest(): AuthorizationRequest {
  const [search] = useSearchState();
  const { state, resource } = search;
  return {
    client_id: search.client_id ?? '',
    redirect_uri: search.redirect_uri ?? '',
    response_type: search.response_type ?? '',
    code_challenge: search.code_challenge ?? '',
    code_challenge_method: search.code_challenge_method ?? '',
    ...(state !== undefined && { state }),
    ...(resource !== undefined && { resource }),
  };
}
