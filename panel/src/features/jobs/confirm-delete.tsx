import { t } from '../../languages/words.ts';
import { Confirm } from '../../ui/dialog/confirm.tsx';
import { useDeleteImages } from '../deletion/delete-images.ts';

export function ConfirmDelete(props: {
  jobIds: string[];
  why?: string | undefined;
  opened: boolean;
  onClose: () => void;
  onDeleted: () => void;
}) {
  const { jobIds, why, opened, onClose, onDeleted } = props;
  const remove = useDeleteImages();
  return (
    <Confirm
      title={t('{count, plural, =1 {Delete this image?} other {Delete # images?}}', {
        count: jobIds.length,
      })}
      opened={opened}
      onClose={onClose}
      action="Delete"
      why={why}
      pending={false}
      onConfirm={() => {
        remove(jobIds);
        onDeleted();
      }}
    >
      {jobIds.length === 1
        ? 'You can undo it for 10 seconds. After that the image, its prompt and its inputs are removed for good, and its links stop working. The job and its charge stay.'
        : 'You can undo it for 10 seconds. After that the images, their prompts and their inputs are removed for good, and their links stop working. The jobs and their charges stay.'}
    </Confirm>
  );
}
