import type { Job } from '@darkroom/server/panel-contract';
import { Button, FileButton, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { problemOf } from '../../api/problem.ts';
import { useRead } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { announce } from '../../ui/announce.tsx';
import { Image } from '../../ui/image.tsx';
import classes from './input-images.module.css';
import { linkIn } from './input-links.ts';
import { isRefusal, useInputPreview } from './input-previews.ts';
import { InputTile, type Order } from './input-tile.tsx';
import { imageTypes, type LocalImages } from './local-images.ts';

/** `name`: the file name of an image that was uploaded here. */
export type InputImage = { url: string; name?: string } | { job_id: string; input?: number };

export function InputImages(props: {
  inputs: InputImage[];
  max: number;
  local: LocalImages;
  onChange: (inputs: InputImage[]) => void;
}) {
  const { inputs, max, local, onChange } = props;
  const list = useRef<HTMLUListElement>(null);
  const keepFocus = useKeptFocus(list);
  const move = (from: number, to: number) => {
    const moved = inputs[from];
    if (!moved || from === to) return;
    const others = inputs.filter((_, index) => index !== from);
    keepFocus();
    onChange([...others.slice(0, to), moved, ...others.slice(to)]);
    announce(t('Image moved to place {to} of {length}', { to: to + 1, length: inputs.length }));
  };
  return (
    <div className="stack tight">
      <AddAddress {...props} />
      <FileButton multiple accept={imageTypes.join(',')} onChange={local.add}>
        {(button) => (
          <Button variant="default" {...button}>
            Choose images
          </Button>
        )}
      </FileButton>
      {inputs.length + local.pending.length > 0 && (
        <ul className={classes.list} aria-label="Input images" ref={list}>
          {inputs.map((input, index) => {
            const tile = {
              order: { at: index, count: inputs.length, move },
              tooMany: index < max ? undefined : t('More than {max} images are refused.', { max }),
              onRemove: () => onChange(inputs.filter((one) => one !== input)),
            };
            const key = keyOf(input, inputs.slice(0, index));
            return 'url' in input ? (
              <Address key={key} {...input} {...tile} />
            ) : (
              <OfJob key={key} {...input} {...tile} />
            );
          })}
          {local.pending.map((image) => (
            <InputTile
              key={image.id}
              name={image.name}
              image={image.error === undefined ? undefined : <img src={image.preview} alt="" />}
              wrong={image.error}
              remove={{ label: t('Dismiss {name}', { name: image.name }), act: () => local.dismiss(image) }}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

function AddAddress(props: { inputs: InputImage[]; max: number; onChange: (inputs: InputImage[]) => void }) {
  const [url, setUrl] = useState('');
  const [error, setError] = useState<string>();
  const { inputs, max, onChange } = props;
  const add = (event: FormEvent) => {
    event.preventDefault();
    const wrong = whatIsWrong(url.trim(), inputs.length, max);
    setError(wrong);
    if (wrong) return;
    onChange([...inputs, { url: url.trim() }]);
    setUrl('');
  };
  return (
    <form onSubmit={add} className={classes.add} noValidate>
      <TextInput
        className="grow"
        label="Input images"
        description={`Or drop, paste or choose files; up to ${max} images, 40 MB in all`}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        placeholder="https://…"
        type="url"
        value={url}
        error={error}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <Button type="submit" variant="default">
        Add
      </Button>
    </form>
  );
}

interface Tile {
  order: Order;
  tooMany: string | undefined;
  onRemove: () => void;
}

/** The browser loads an image of this server directly. Images of other servers are fetched by this server. */
function Address({ url, name, order, tooMany, onRemove }: { url: string; name?: string } & Tile) {
  const isOurs = name !== undefined;
  const preview = useInputPreview(url, !isOurs);
  const source = isOurs ? url : preview.data?.image;
  const wrong = preview.error ? problemOf(preview.error) : undefined;
  return (
    <InputTile
      name={name ?? fileName(url)}
      title={name ?? url}
      image={source && <img src={source} alt="" draggable={false} />}
      wrong={tooMany ?? wrong?.errors?.[0]?.detail ?? wrong?.detail}
      onRetry={preview.error && !isRefusal(preview.error) ? () => void preview.refetch() : undefined}
      remove={{ label: t('Remove image {at}', { at: order.at + 1 }), act: onRemove }}
      order={order}
    />
  );
}

function fileName(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  return pathname.split('/').findLast((part) => part !== '') ?? host;
}

function OfJob({ job_id, input, order, tooMany, onRemove }: { job_id: string; input?: number } & Tile) {
  const { data, error } = useJob(job_id);
  const job = data?.job;
  const address = job && linkIn(job, input);
  const isGone = job !== undefined && !address;
  return (
    <InputTile
      name={`${input === undefined ? '' : t('Input {input} of: ', { input: input + 1 })}${job?.prompt ?? t('a job')}`}
      image={
        job?.result && input === undefined ? (
          <Image facts={job.result} alt="" sizes="160px" ratio={1} />
        ) : (
          address && <img src={address} alt="" draggable={false} />
        )
      }
      wrong={
        tooMany ??
        (error ? problemOf(error).detail : isGone ? t('This job has no image any more.') : undefined)
      }
      remove={{ label: t('Remove image {at}', { at: order.at + 1 }), act: onRemove }}
      order={order}
    />
  );
}

function useJob(jobId: string) {
  const params = { account_id: useAccountId(), job_id: jobId };
  return useRead('GET /panel/accounts/:account_id/jobs/:job_id', { params });
}

export function useResult(jobId: string): Job | undefined {
  return useJob(jobId).data?.job;
}

/** The key counts repetitions, because the list may contain the same image twice. */
function keyOf(input: InputImage, before: readonly InputImage[]): string {
  const name = (one: InputImage) => ('url' in one ? one.url : `${one.job_id} ${one.input ?? ''}`);
  return `${name(input)} ${before.filter((one) => name(one) === name(input)).length}`;
}

/** Returns the focus that a moved tile loses to the button that moved it, or to the other one if that is disabled. */
function useKeptFocus(list: React.RefObject<HTMLElement | null>): () => void {
  const focused = useRef<HTMLElement>(null);
  useEffect(() => {
    const button = focused.current;
    focused.current = null;
    if (!button?.isConnected || button === document.activeElement) return;
    const isAtEnd = button instanceof HTMLButtonElement && button.disabled;
    const other = button.parentElement?.querySelector<HTMLElement>('button:not(:disabled)');
    (isAtEnd ? other : button)?.focus();
  });
  return () => {
    const { activeElement } = document;
    focused.current =
      activeElement instanceof HTMLElement && list.current?.contains(activeElement) ? activeElement : null;
  };
}

function whatIsWrong(url: string, count: number, max: number): string | undefined {
  if (!/^https?:\/\/[^\s]+$/.test(url)) return t('It must begin with http:// or https://');
  if (count >= max) return t('More than {max} images are refused', { max });
  return undefined;
}
