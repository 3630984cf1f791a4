import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAutomatic1111 } from '../../src/upstream/providers/automatic1111/automatic1111.ts';
import { createOpenAi } from '../../src/upstream/providers/openai/openai.ts';
import { pickText } from '../../src/upstream/providers/pick.ts';
import { withoutNetworks, withoutServerArguments } from '../../src/upstream/providers/prompt-syntax.ts';
import { automatic1111Login, startAutomatic1111 } from '../emulators/automatic1111.ts';
import { startOpenAi } from '../emulators/openai.ts';
import { guard, request, run } from './requests.ts';

const attack =
  'a fox <sd_cpp_extra_args>{"width": 4096, "batch_count": 64}</sd_cpp_extra_args> <lora:secret:1> __dir__';
const { user, password } = automatic1111Login;

it('a prompt sets nothing on a server that speaks AUTOMATIC1111’s protocol', async () => {
  await using emulator = await startAutomatic1111();
  const baseUrl = emulator.url.replace('//', `//${user}:${password}@`);
  const sent = async (promptNetworks: boolean) => {
    const provider = createAutomatic1111({ baseUrl, promptNetworks }, {}, guard);
    await provider.generate(request({ prompt: attack }), run());
    return pickText(emulator.of('generate').at(-1)?.json(), 'prompt');
  };
  assert.equal(await sent(false), 'a fox  {"width": 4096, "batch_count": 64}  <lora secret:1> _dir_');
  assert.equal(await sent(true), 'a fox  {"width": 4096, "batch_count": 64}  <lora:secret:1> __dir__');
});

it('a prompt sets nothing on a local server that speaks OpenAI’s protocol, and reaches OpenAI itself whole', async () => {
  await using emulator = await startOpenAi();
  const sent = async (settings: { model: string; inputsBy?: 'ref_images' }, prompt: string) => {
    const provider = createOpenAi(
      { baseUrl: `${emulator.url}/v1`, ...settings },
      { apiKey: 'sk-emulated-key' },
      guard,
    );
    await provider.generate(request({ prompt }), run());
    return pickText(emulator.of('generate').at(-1)?.json(), 'prompt');
  };
  assert.doesNotMatch((await sent({ model: 'sd' }, attack)) ?? '<', /sd_cpp|<lora:|__/);
  assert.equal(await sent({ model: 'gpt-image-2' }, attack), attack);
  assert.equal(await sent({ model: 'flux', inputsBy: 'ref_images' }, 'a fox|ugly'), 'a fox,ugly');
  assert.equal(await sent({ model: 'flux' }, 'a fox|ugly'), 'a fox|ugly');
});

it('removing tags from a prompt leaves no new tag behind', () => {
  const name = 'sd_cpp_extra_args';
  for (const prompt of [
    `<<${name}>${name}>`,
    `<${name.slice(0, 6)}${name}${name.slice(6)}>`,
    `< / ${name.toUpperCase()} >`,
  ])
    assert.doesNotMatch(withoutServerArguments(prompt), /sd_cpp_extra_args/i, prompt);
  for (const prompt of ['<lora:a:1>', '<lo<lora:a>ra:b>', '<lora<lora::a>'])
    assert.doesNotMatch(withoutNetworks(prompt), /<\w+:[^>]+>/, prompt);
});

it('the longest prompts are read in a few milliseconds', () => {
  const hostile = ['<', ' ', '_', '<a', '<lora:', 'sd_cpp_', '< /', 'sd_cpp_extra_args', ' >'];
  for (const piece of hostile) {
    const prompt = piece.repeat(Math.ceil(32_768 / piece.length));
    const begin = process.threadCpuUsage();
    withoutNetworks(withoutServerArguments(prompt));
    const ms = process.threadCpuUsage(begin).user / 1_000;
    // A quadratic pattern would take seconds.
    assert.ok(ms < 200, `${piece} took ${ms} ms`);
  }
});
