import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { t } from '../../languages/words.ts';

/** The reason why an erased account's buttons are disabled, for their property `why`. */
export function whyErased({ erased_at }: Pick<OperatorAccount, 'erased_at'>): string | undefined {
  return erased_at === null ? undefined : t('This account was erased, for good.');
}
