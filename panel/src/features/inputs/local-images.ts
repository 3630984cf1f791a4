import { useEffect, useRef, useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { problemOf } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { t } from '../../languages/words.ts';
import type { InputImage } from './input-images.tsx';

/** The types that the server decodes. */
export const imageTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];
const maxBytes = 41_943_040;

/** An image on this device that is being uploaded, or that cannot be uploaded. */
export interface PendingImage {
  id: string;
  name: string;
  /** An object URL, valid in this page. */
  preview: string;
  error?: string;
}

export interface LocalImages {
  pending: PendingImage[];
  add(files: readonly File[]): void;
  dismiss(image: PendingImage): void;
}

/** Adds images that are dropped, pasted or chosen. Checks the server's limits before uploading. */
export function useLocalImages(props: {
  inputs: InputImage[];
  max: number;
  enabled: boolean;
  onBegin: () => void;
  onAdd: (inputs: InputImage[]) => void;
}): LocalImages {
  const accountId = useAccountId();
  const [pending, setPending] = useState<PendingImage[]>([]);
  const latest = useRef(props);
  latest.current = props;

  const dismiss = (image: PendingImage) => {
    URL.revokeObjectURL(image.preview);
    setPending((all) => all.filter(({ id }) => id !== image.id));
  };
  const take = async (file: File, place: number) => {
    const preview = URL.createObjectURL(file);
    // The URL is the id, because browsers lack `crypto.randomUUID` on plain http.
    const image = { id: preview, name: file.name, preview };
    const wrong = whatIsWrong(file, place, latest.current.max);
    setPending((all) => [...all, { ...image, ...(wrong && { error: wrong }) }]);
    if (wrong) return;
    const params = { account_id: accountId };
    try {
      const { url } = await send('POST /api/v1/uploads', { params, body: file });
      dismiss(image);
      const inputs = [...latest.current.inputs, { url, name: file.name }];
      latest.current = { ...latest.current, inputs };
      latest.current.onAdd(inputs);
    } catch (error) {
      setPending((all) =>
        all.map((one) => (one.id === image.id ? { ...one, error: problemOf(error).detail } : one)),
      );
    }
  };
  const add = (files: readonly File[]) => {
    latest.current.onBegin();
    const underWay = pending.filter(({ error }) => error === undefined).length;
    for (const [index, file] of files.entries())
      void take(file, latest.current.inputs.length + underWay + index);
  };
  useFilesOf(props.enabled, add);
  return { pending, add, dismiss };
}

function useFilesOf(enabled: boolean, add: (files: readonly File[]) => void): void {
  const latest = useRef(add);
  latest.current = add;
  useEffect(() => {
    if (!enabled) return;
    const take = (event: Event, data: DataTransfer | null) => {
      if (!data?.types.includes('Files')) return;
      // Otherwise the browser would open a dropped file instead of this page.
      event.preventDefault();
      if (data.files.length > 0) latest.current([...data.files]);
    };
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener('dragover', (event) => take(event, event.dataTransfer), { signal });
    window.addEventListener('drop', (event) => take(event, event.dataTransfer), { signal });
    window.addEventListener('paste', (event) => take(event, event.clipboardData), { signal });
    return () => listening.abort();
  }, [enabled]);
}

function whatIsWrong(file: File, place: number, max: number): string | undefined {
  if (!imageTypes.includes(file.type)) return t('It is not a JPEG, PNG, WebP or GIF.');
  if (file.size > maxBytes) return t('It has more than 40 MB.');
  if (place >= max) return t('More than {max} images are refused.', { max });
  return undefined;
}
