import { useAccountId } from '../../api/account.ts';
import { archiveOf } from './archive-link.ts';
import { PresetMenu } from './preset-menu.tsx';

export function ArchiveMenu({ jobIds, size }: { jobIds: readonly string[]; size: string }) {
  const accountId = useAccountId();
  return (
    <PresetMenu
      label="Presets"
      size={size}
      variant="default"
      position="top-end"
      linkOf={(preset) => archiveOf(accountId, jobIds, preset)}
    />
  );
}
