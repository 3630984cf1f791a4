import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputKey, objectsOf, ownerOf, resultKey } from '../../src/images/object-keys.ts';
import { keysOfResult, renditionKey } from '../../src/images/renditions.ts';

const jobId = '0197c3a2-5b1f-7333-b899-48d9408c11d4';

test('objects of a job lie in the folder of its quarter of an hour, and tell whose they are', () => {
  const result = resultKey(jobId, 2);
  assert.equal(result, `results/0197c3a/${jobId}-2.png`);
  assert.equal(inputKey(jobId, '0.jpg'), `inputs/0197c3a/${jobId}-0.jpg`);
  for (const key of [result, renditionKey(result, 256), inputKey(jobId, 'copy-1')])
    assert.equal(ownerOf(key), jobId, key);
  assert.ok(result.startsWith(objectsOf('results', jobId)));
});

test('renditions lie beside their image, under names that stay', () => {
  const folder = `results/0197c3a/${jobId}`;
  assert.deepEqual(keysOfResult(resultKey(jobId, 12)), [
    `${folder}-12.png`,
    `${folder}-12-256.webp`,
    `${folder}-12-768.webp`,
    `${folder}-12-1600.webp`,
  ]);
  assert.equal(renditionKey(`results/${jobId}/1.png`, 768), `results/${jobId}/1-768.webp`);
});

test('objects of earlier versions, which had a folder for each job, and uploads tell it too', () => {
  for (const key of [
    `results/${jobId}/1.png`,
    `results/${jobId}/1-256.webp`,
    `inputs/${jobId}/0.jpg`,
    `uploads/${jobId}.png`,
  ])
    assert.equal(ownerOf(key), jobId, key);
});

test('what an operator put there is nobody’s', () => {
  for (const key of [
    'results/notes.txt',
    `results/${jobId}`,
    `results/0197c3a/x-${jobId}-1.png`,
    `results/${jobId}x/1.png`,
  ])
    assert.equal(ownerOf(key), undefined, key);
});
