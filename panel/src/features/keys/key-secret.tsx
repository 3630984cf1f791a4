import type { NewKey } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../languages/words.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';

export function KeySecret({ made, onClose }: { made: NewKey | undefined; onClose: () => void }) {
  return (
    <Dialog
      title={made ? `Your key ${made.name}` : ''}
      opened={made !== undefined}
      onClose={onClose}
      keep
      size="lg"
    >
      {made && <Secret made={made} onClose={onClose} />}
    </Dialog>
  );
}

function Secret({ made, onClose }: { made: NewKey; onClose: () => void }) {
  const env = `DARKROOM_URL=${location.origin}\nDARKROOM_API_KEY=${made.key}\n`;
  const call = `curl ${location.origin}/api/v1/balance -H "Authorization: Bearer ${made.key}"`;
  return (
    <>
      <Notice tone="warn" title="This is the only time it is shown">
        Darkroom keeps only a hash of it. Copy it now to where your program reads it.
      </Notice>
      <CodeBlock code={made.key} what="API key" wrap />
      <TestCall secret={made.key} />
      <div className="stack tight">
        <p className="small soft">The same in a terminal:</p>
        <CodeBlock code={call} what="test call" wrap />
      </div>
      <div className="row">
        <Button data-autofocus onClick={onClose}>
          I have saved it
        </Button>
        <Button
          component="a"
          variant="default"
          download="darkroom.env"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(env)}`}
        >
          Download .env
        </Button>
      </div>
    </>
  );
}

/** Reads the balance from the public API as a program would, with the key and without the session. */
function TestCall({ secret }: { secret: string }) {
  const [result, setResult] = useState<string>();
  const [pending, setPending] = useState(false);
  const call = async () => {
    setPending(true);
    try {
      const response = await fetch('/api/v1/balance', {
        credentials: 'omit',
        headers: { authorization: `Bearer ${secret}` },
      });
      setResult(`${response.status} ${JSON.stringify(await response.json())}`);
    } catch {
      setResult(t('No answer from the server'));
    } finally {
      setPending(false);
    }
  };
  return (
    <div className="row">
      <Button size="compact-sm" variant="default" loading={pending} onClick={() => void call()}>
        Try it now
      </Button>
      <code className="small" aria-live="polite">
        {result ?? <span className="soft">GET /api/v1/balance</span>}
      </code>
    </div>
  );
}
