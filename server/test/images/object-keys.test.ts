import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputKey, objectsOf, ownerOf, resultKey } from '../../src/images/object-keys.ts';
import { keysOfResult, renditionKey } from '../../src/images/renditions.ts';

const jobId = '0197c3a2-5b1f-7333-b899-48d9408c11d4';

test('a job’s objects are in the folder of its quarter hour, and name their owner', () => {
  const result = resultKey(jobId, 2);
  assert.equal(result, `results/0197c3a/${jobId}-2.png`);
  assert.equal(inputKey(jobId, '0.jpg'), `inputs/0197c3a/${jobId}-0.jpg`);
  for (const key of [result, renditionKey(result, 256), inputKey(jobId, 'copy-1')])
    assert.equal(ownerOf(key), jobId, key);
  assert.ok(result.startsWith(objectsOf('results', jobId)));
});

test('renditions are next to their image, under fixed names', () => {
  const folder = `results/0197c3a/${jobId}`;
  assert.deepEqual(keysOfResult(resultKey(jobId, 12)), [
    `${folder}-12.png`,
    `${folder}-12-256.webp`,
    `${folder}-12-768.webp`,
    `${folder}-12-1600.webp`,
  ]);
  assert.equal(renditionKey(`results/${jobId}/1.png`, 768), `results/${jobId}/1-768.webp`);
});

test('uploads, and objects of earlier versions, which had one folder per job, name their owner too', () => {
  for (const key of [
    `results/${jobId}/1.png`,
    `results/${jobId}/1-256.webp`,
    `inputs/${jobId}/0.jpg`,
    `uploads/${jobId}.png`,
  ])
    assert.equal(ownerOf(key), jobId, key);
});

test('files that an operator put there have no owner', () => {
  for (const key of [
    'results/notes.txt',
    `results/${jobId}`,
    `results/0197c3a/x-${jobId}-1.png`,
    `results/${jobId}x/1.png`,
  ])
    assert.equal(ownerOf(key), undefined, key);
});
