import { ExtendPreview } from './extend-preview.tsx';
import { MaskStage } from './mask-stage.tsx';
import type { Editor } from './use-editor.ts';

/** The picture that is edited, with what will change. */
export function EditArea({ editor }: { editor: Editor }) {
  const { picture, tool, mask, brush, extension } = editor;
  const alt = editor.edit.job.prompt;
  return tool === 'brush' ? (
    <MaskStage facts={picture} alt={alt} mask={mask} brush={brush} />
  ) : (
    <ExtendPreview facts={picture} alt={alt} frame={extension.frame} />
  );
}
