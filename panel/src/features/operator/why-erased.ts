import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { t } from '../../languages/words.ts';

export function whyErased({ erased_at }: Pick<OperatorAccount, 'erased_at'>): string | undefined {
  return erased_at === null ? undefined : t('This account was erased, for good.');
}
