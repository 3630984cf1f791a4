import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSend } from '../../api/queries.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';

export function OidcButton({ returnTo, children }: { returnTo: string; children: ReactNode }) {
  const begin = useSend('POST /panel/sign-in/oidc');
  return (
    <>
      <ProblemAlert error={begin.error} />
      <Button
        variant="default"
        fullWidth
        loading={begin.isPending}
        onClick={() =>
          begin.mutate({ body: { return_to: returnTo } }, { onSuccess: ({ url }) => location.assign(url) })
        }
      >
        {children}
      </Button>
    </>
  );
}
