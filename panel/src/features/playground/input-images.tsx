import type { JobDetail } from '@darkroom/server/panel-contract';
import { Button, CloseButton, FileButton, Loader, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { Picture } from '../../ui/picture.tsx';
import classes from './input-images.module.css';
import { imageTypes, type LocalImages } from './local-images.ts';

/** `name`: of an image that was uploaded here. */
export type InputImage = { url: string; name?: string } | { job_id: string; input?: number };

/** The input images: URLs, files of this device and results of this account. */
export function InputImages(props: {
  inputs: InputImage[];
  max: number;
  local: LocalImages;
  onChange: (inputs: InputImage[]) => void;
}) {
  const [url, setUrl] = useState('');
  const [error, setError] = useState<string>();
  const { inputs, max, local, onChange } = props;
  const add = (event: FormEvent) => {
    event.preventDefault();
    const wrong = whatIsWrong(url.trim(), inputs.length, max);
    setError(wrong);
    if (wrong) return;
    onChange([...inputs, { url: url.trim() }]);
    setUrl('');
  };
  return (
    <div className="stack tight">
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
      <FileButton multiple accept={imageTypes.join(',')} onChange={local.add}>
        {(button) => (
          <Button variant="default" {...button}>
            Choose images
          </Button>
        )}
      </FileButton>
      {local.pending.length > 0 && (
        <ul className={classes.list} aria-label="Images under way">
          {local.pending.map((image) => (
            <li key={image.id}>
              {!image.error && <img src={image.preview} alt="" width={32} height={32} />}
              <span className="ellipsis grow">
                {image.name}
                {image.error && (
                  <span role="alert" className={classes.error}>
                    {image.error}
                  </span>
                )}
              </span>
              {image.error ? (
                <CloseButton
                  size="sm"
                  aria-label={`Dismiss ${image.name}`}
                  onClick={() => local.dismiss(image)}
                />
              ) : (
                <Loader size={16} aria-label={`Uploading ${image.name}`} />
              )}
            </li>
          ))}
        </ul>
      )}
      {inputs.length > 0 && (
        <ul className={classes.list} aria-label="Chosen input images">
          {inputs.map((input, index) => (
            <li key={'url' in input ? input.url : `${input.job_id} ${input.input ?? ''}`}>
              {'url' in input ? <Address {...input} /> : <OfJob {...input} />}
              <CloseButton
                size="sm"
                aria-label={`Remove image ${index + 1}`}
                onClick={() => onChange(inputs.filter((one) => one !== input))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Address({ url, name }: { url: string; name?: string }) {
  return (
    <>
      {name !== undefined && <img src={url} alt="" width={32} height={32} />}
      <span className="ellipsis grow" title={name ?? url}>
        {name ?? url.replace(/^https?:\/\//, '')}
      </span>
    </>
  );
}

function OfJob({ job_id, input }: { job_id: string; input?: number }) {
  const job = useResult(job_id);
  const address = input === undefined ? undefined : job?.inputs[input]?.url;
  return (
    <>
      {input === undefined && job && (
        <Picture facts={job} alt="" sizes="32px" ratio={1} style={{ width: 32 }} />
      )}
      {address && <img src={address} alt="" width={32} height={32} />}
      <span className="ellipsis grow">
        {input !== undefined && `Input ${input + 1} of: `}
        {job?.prompt ?? 'a job'}
      </span>
    </>
  );
}

export function useResult(jobId: string): JobDetail | undefined {
  const params = { account_id: useAccountId(), job_id: jobId };
  return useRead('GET /panel/accounts/:account_id/jobs/:job_id', { params }).data;
}

function whatIsWrong(url: string, count: number, max: number): string | undefined {
  if (!/^https?:\/\/[^\s]+$/.test(url)) return 'It must begin with http:// or https://';
  if (count >= max) return `More than ${max} images are refused`;
  return undefined;
}
