import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../src/config/config.ts';

const refuses = (name: string, expected: RegExp, value = 'x') =>
  assert.throws(() => readConfig({ [name]: value }), { name: 'SettingError', message: expected });

test('a misspelt variable is refused with the nearest name', () => {
  refuses('DARKROOM_PUBLC_URL', /^DARKROOM_PUBLC_URL is not a setting; did you mean DARKROOM_PUBLIC_URL\?$/);
  refuses('DARKROOM_SECRETS', /did you mean DARKROOM_SECRET\?/);
  refuses('DARKROOM_DATADIR', /did you mean DARKROOM_DATA_DIR\?/);
  refuses('DARKROOM_ALOW_NETWORK', /did you mean DARKROOM_ALLOW_NETWORKS\?/, '');
});

test('a variable that is similar to no other is refused without a guess', () => {
  refuses('DARKROOM_COLOUR', /^DARKROOM_COLOUR is not a setting; docs\/settings\.md lists/);
  refuses('DARKROOM_PORT', /^DARKROOM_PORT is not a setting;/, '3000');
});

test('variables of clients, of Kubernetes for a service named darkroom, and of other programs are ignored', () => {
  readConfig({
    DARKROOM_URL: 'http://127.0.0.1:3000',
    DARKROOM_API_KEY: 'dk_x',
    DARKROOM_SERVICE_HOST: '10.0.0.1',
    DARKROOM_SERVICE_PORT: '3000',
    DARKROOM_SERVICE_PORT_HTTP: '3000',
    DARKROOM_API_SERVICE_HOST: '10.0.0.1',
    DARKROOM_PORT: 'tcp://10.0.0.1:3000',
    DARKROOM_PORT_3000_TCP: 'tcp://10.0.0.1:3000',
    DARKROOM_PORT_3000_TCP_PROTO: 'tcp',
    DARKROOM_API_PORT_3000_TCP_ADDR: '10.0.0.1',
    DARKROOMS: 'x',
  });
});
