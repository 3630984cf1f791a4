import './mantine.ts';
import './styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api/queries.ts';
import { router } from './routes.tsx';
import { cssVariables, theme } from './theme.ts';
import { Announcer } from './ui/announce.tsx';

export function startApp(root: HTMLElement): void {
  // The page's policy allows the styles of libraries, such as a dialog's scroll lock, only with this nonce.
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  setNonce(nonce);

  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        cssVariablesResolver={cssVariables}
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
          <Announcer />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
