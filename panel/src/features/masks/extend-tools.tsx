import { SegmentedControl } from '@mantine/core';
import { t } from '../../languages/words.ts';
import { RatioPicker } from '../make/choices/ratio-picker.tsx';
import type { Extension } from './extension.ts';

export function ExtendTools(props: {
  extension: Extension;
  onChange: (some: Partial<Pick<Extension, 'ratio' | 'alignment'>>) => void;
}) {
  const { onChange } = props;
  const { ratio, ratios, alignment, isWider } = props.extension;
  return (
    <div className="stack">
      <RatioPicker ratios={ratios} value={ratio} onChange={(chosen) => onChange({ ratio: chosen })} />
      <SegmentedControl
        aria-label="Where the image lies"
        fullWidth
        value={alignment}
        onChange={(chosen) => onChange({ alignment: chosen })}
        data={[
          { value: 'start', label: isWider ? t('Left') : t('Top') },
          { value: 'middle', label: t('Middle') },
          { value: 'end', label: isWider ? t('Right') : t('Bottom') },
        ]}
      />
    </div>
  );
}
