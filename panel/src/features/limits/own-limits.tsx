import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { Section } from '../../ui/page.tsx';
import { Limits } from './limits.tsx';

export function OwnLimits() {
  const params = { account_id: useAccountId() };
  const limits = useRead('GET /api/v1/limits', { params });
  const set = limits.data?.data.filter(({ most }) => most !== null) ?? [];
  if (set.length === 0) return null;
  return (
    <Section title="Limits" hint="For all keys and the panel together; an operator sets them">
      <div className="card padded">
        <Limits rows={set} none="" />
      </div>
    </Section>
  );
}
