import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { EraseAccount } from '../../features/archive/erase-account.tsx';
import { ExportAccount } from '../../features/archive/export-account.tsx';
import { paths } from '../../paths.ts';
import { Link, useGo } from '../../ui/link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';

export function AccountDataPage() {
  const accountId = useAccountId();
  const go = useGo();
  const account = useRead('GET /admin/v1/accounts/:account', { params: { account: accountId } });
  return (
    <Page
      title="Export and erase"
      intro={<Link href={paths.operatorAccount(accountId)}>{account.data?.name ?? 'The account'}</Link>}
    >
      <Await query={account}>
        {(data) => (
          <div className="stack wide">
            <Section title="Export">
              <ExportAccount account={data} />
            </Section>
            <Section title="Erase" hint="This cannot be undone: export the account before">
              {data.erased_at ? (
                <Notice tone="warn" title="This account was erased" />
              ) : (
                <EraseAccount account={data} onErased={() => go(paths.operatorAccount(accountId))} />
              )}
            </Section>
          </div>
        )}
      </Await>
    </Page>
  );
}
