import { ExtendPreview } from './extend-preview.tsx';
import { MaskStage } from './mask-stage.tsx';
import type { Editor } from './use-editor.ts';

export function EditArea({ editor }: { editor: Editor }) {
  const { image, tool, mask, brush, extension } = editor;
  const alt = editor.edit.job.prompt;
  return tool === 'brush' ? (
    <MaskStage facts={image} alt={alt} mask={mask} brush={brush} />
  ) : (
    <ExtendPreview facts={image} alt={alt} frame={extension.frame} />
  );
}
