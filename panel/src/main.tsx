import './mantine.ts';
import './styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api/queries.ts';
import { router } from './routes.tsx';
import { cssVariables, theme } from './theme.ts';
import { Announcer } from './ui/announce.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root');

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" cssVariablesResolver={cssVariables}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Announcer />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
