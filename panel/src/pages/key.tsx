import type { Key, NewKey } from '@darkroom/server/panel-contract';
import { useState } from 'react';
import { useAccountId, useParam, useRights } from '../api/account.ts';
import { useRead } from '../api/queries.ts';
import { KeyErrors } from '../features/keys/key-errors.tsx';
import { KeyJobs } from '../features/keys/key-jobs.tsx';
import { KeyActions, KeyModels, KeyStatus } from '../features/keys/key-parts.tsx';
import { KeySecret } from '../features/keys/key-secret.tsx';
import { KeyUsage } from '../features/keys/key-usage.tsx';
import { KeyLimits } from '../features/limits/key-limits.tsx';
import { paths } from '../paths.ts';
import { Id } from '../ui/copy.tsx';
import { Fact, Facts } from '../ui/figures/figures.tsx';
import { Link, useGo } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';
import { Await } from '../ui/problem-alert.tsx';
import { DetailSkeleton } from '../ui/skeletons.tsx';
import { RelativeTime } from '../ui/time.tsx';

export function KeyPage() {
  const accountId = useAccountId();
  const params = { account_id: accountId, key_id: useParam('key_id') };
  const go = useGo();
  const maySeeJobs = useRights().includes('see_pictures');
  const [made, setMade] = useState<NewKey>();
  const key = useRead('GET /api/v1/keys/:key_id', { params });
  return (
    <Page
      title={key.data ? `${key.data.name} · API key` : 'API key'}
      heading={
        <span className="row">
          {key.data?.name ?? 'API key'}
          {key.data && <KeyStatus apiKey={key.data} />}
        </span>
      }
      intro={<Link href={paths.keys(accountId)}>All keys</Link>}
      actions={key.data && <KeyActions size="sm" apiKey={key.data} onRolled={setMade} />}
    >
      <Await query={key} wait={<DetailSkeleton />}>
        {(data) => (
          <div className="columns">
            <div className="stack wide">
              <KeyUsage keyId={data.key_id} />
              <KeyErrors keyId={data.key_id} />
              {maySeeJobs && <KeyJobs keyId={data.key_id} />}
            </div>
            <div className="stack">
              <KeyFacts apiKey={data} />
              <KeyLimits apiKey={data} />
            </div>
          </div>
        )}
      </Await>
      <KeySecret
        made={made}
        onClose={() => {
          setMade(undefined);
          if (made) go(paths.key(accountId, made.key_id));
        }}
      />
    </Page>
  );
}

function KeyFacts({ apiKey }: { apiKey: Key }) {
  const { last_used_at, last_used_address, disabled_at, expires_at } = apiKey;
  return (
    <aside className="card padded" aria-label="Facts">
      <Facts>
        <Fact name="Key">
          <code>{apiKey.hint}</code>
        </Fact>
        <Fact name="Models">
          <KeyModels models={apiKey.models} />
        </Fact>
        <Fact name="Last used">
          {last_used_at ? (
            <RelativeTime at={last_used_at} beside />
          ) : (
            <span className="soft">Never used</span>
          )}
        </Fact>
        {last_used_address && (
          <Fact name="From">
            <code>{last_used_address}</code>
          </Fact>
        )}
        <Fact name="Created">
          <RelativeTime at={apiKey.created_at} beside />
        </Fact>
        {expires_at && (
          <Fact name="Expires">
            <RelativeTime at={expires_at} beside />
          </Fact>
        )}
        {disabled_at && (
          <Fact name="Disabled">
            <RelativeTime at={disabled_at} beside />
          </Fact>
        )}
        <Fact name="Id">
          <Id id={apiKey.key_id} what="key id" />
        </Fact>
      </Facts>
    </aside>
  );
}
