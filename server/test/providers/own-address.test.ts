import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isOpenAi } from '../../src/upstream/providers/openai/own-address.ts';

it('only OpenAI’s own hosts over TLS count as OpenAI, not similar names', () => {
  const ours = ['https://api.openai.com/v1', 'https://eu.api.openai.com/v1', 'https://API.OPENAI.COM'];
  const others = [
    'http://api.openai.com/v1',
    'https://api.openai.com.example.net/v1',
    'https://notopenai.com/v1',
    'https://mine.openai.azure.com',
    'https://api.openai.com@example.net/v1',
    'http://127.0.0.1:8080/v1',
    'nothing',
  ];
  assert.deepEqual(ours.filter(isOpenAi), ours);
  assert.deepEqual(others.filter(isOpenAi), []);
});
