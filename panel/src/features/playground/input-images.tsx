import type { JobDetail } from '@darkroom/server/panel-contract';
import { Button, CloseButton, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import classes from './input-images.module.css';

export type InputImage = { url: string } | { job_id: string };

/** The input images: URLs and results of this account. */
export function InputImages(props: {
  inputs: InputImage[];
  max: number;
  onChange: (inputs: InputImage[]) => void;
}) {
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
    <div className="stack tight">
      <form onSubmit={add} className={classes.add} noValidate>
        <TextInput
          className="grow"
          label="Input images"
          description={`Addresses the server can fetch; up to ${max} images, 40 MB in all`}
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
      {inputs.length > 0 && (
        <ul className={classes.list} aria-label="Chosen input images">
          {inputs.map((input, index) => (
            <li key={'url' in input ? input.url : input.job_id}>
              {'url' in input ? <Address url={input.url} /> : <Result jobId={input.job_id} />}
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

function Address({ url }: { url: string }) {
  return (
    <span className="ellipsis grow" title={url}>
      {url.replace(/^https?:\/\//, '')}
    </span>
  );
}

function Result({ jobId }: { jobId: string }) {
  const job = useResult(jobId);
  return (
    <>
      {job?.image_url && <img src={job.image_url} alt="" width={32} height={32} />}
      <span className="ellipsis grow">{job?.prompt ?? 'Result of a job'}</span>
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
