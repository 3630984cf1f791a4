import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { openAnswer } from '../../api/send.ts';
import { saveFile } from '../../ui/files/save-file.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { bytesText } from '../jobs/bytes.ts';

export function ExportAccount({ account }: { account: OperatorAccount }) {
  const [bytes, setBytes] = useState(0);
  const stop = useRef<AbortController>(undefined);
  const load = useMutation({
    mutationFn: async () => {
      setBytes(0);
      stop.current = new AbortController();
      const { signal } = stop.current;
      const params = { account: account.account_id };
      const response = await openAnswer('POST /admin/v1/accounts/:account/export', { params }, { signal });
      const archive = await readWhole(response, setBytes);
      saveFile(archive, `account-${account.account_id}.zip`);
      return archive.size;
    },
  });
  const stopped = stop.current?.signal.aborted === true;
  return (
    <div className="stack">
      <p>
        A zip of everything that is kept of {account.name}: jobs, ledger, keys and members as JSON Lines;
        images, inputs and uploads as they are. No secrets are in it.
      </p>
      {load.error && !stopped && <ProblemAlert error={load.error} />}
      <div className="row">
        <Button variant="default" loading={load.isPending} onClick={() => load.mutate()}>
          Export
        </Button>
        {load.isPending && (
          <Button variant="subtle" onClick={() => stop.current?.abort()}>
            Stop
          </Button>
        )}
        <span className="soft small number" aria-live="polite">
          {load.isPending && bytes > 0 && `${bytesText(bytes)} so far`}
          {load.isSuccess && `Exported, ${bytesText(load.data)}`}
          {load.isError && stopped && 'Stopped. Nothing was saved.'}
        </span>
      </div>
    </div>
  );
}

/**
 * Reads the download into a blob, which browsers keep on disk if it is large.
 * @throws Error if the download breaks off
 */
async function readWhole({ body }: Response, onBytes: (bytes: number) => void): Promise<Blob> {
  let bytes = 0;
  const counted = body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.length;
        onBytes(bytes);
        controller.enqueue(piece);
      },
    }),
  );
  return new Response(counted).blob();
}
