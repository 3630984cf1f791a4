import type { ServerLogin } from '../base-url.ts';
import { atHome, type ConnectableDescriptor } from '../descriptor.ts';
import { comfyUiCapabilities, createComfyUi } from './comfyui.ts';
import { comfyUiConnection } from './connection.ts';
import { ComfyUiSettings } from './settings.ts';

export const comfyUiDescriptor: ConnectableDescriptor<ComfyUiSettings, ServerLogin> = {
  settings: ComfyUiSettings,
  create: createComfyUi,
  capabilitiesOf: comfyUiCapabilities,
  usual: atHome,
  connection: comfyUiConnection,
  environment: {
    variables: [
      { name: 'COMFYUI_URL', whenUnset: 'not set', about: 'Address of ComfyUI.', holds: 'address' },
    ],
    credentials: () => ({}),
    isChosen: (env) => Boolean(env.COMFYUI_URL),
    whenChosenAlone:
      'COMFYUI_URL is set, but ComfyUI needs a workflow: name one in the routes of the configuration file (DARKROOM_CONFIG), as docs/providers/comfyui.md shows, or leave the variable out and add it with "darkroom connection add comfyui".',
  },
};
