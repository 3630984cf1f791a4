import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SettingError } from '../../src/errors.ts';
import { parseStorage } from '../../src/images/storage-url.ts';

test('disk is the default, in another folder if one is named', () => {
  for (const text of [undefined, '', 'disk']) assert.deepEqual(parseStorage(text), { kind: 'disk' });
  assert.deepEqual(parseStorage('disk:/var/images'), { kind: 'disk', folder: '/var/images' });
});

test('an s3 address names bucket, prefix, region and endpoint', () => {
  assert.deepEqual(parseStorage('s3://my-bucket'), {
    kind: 's3',
    bucket: 'my-bucket',
    prefix: '',
    region: 'us-east-1',
  });
  const text = 's3://my.bucket/some/prefix/?endpoint=http://127.0.0.1:9000/&region=eu-west-1';
  assert.deepEqual(parseStorage(text), {
    kind: 's3',
    bucket: 'my.bucket',
    prefix: 'some/prefix',
    region: 'eu-west-1',
    endpoint: 'http://127.0.0.1:9000',
  });
});

test('anything else is refused with a sentence that does not repeat it', () => {
  const wrong = [
    'secret',
    'disk:',
    '/secret',
    's3:',
    's3://',
    's3:///secret',
    's3://Secret_Bucket',
    's3://b',
    's3://secret:9000',
    's3://user:secret@bucket',
    's3://bucket#secret',
    's3://bucket/secret%2f..',
    's3://bucket/Secret',
    's3://bucket//secret',
    's3://bucket?secret=1',
    's3://bucket?region=secret.',
    's3://bucket?region=secret&region=secret',
    's3://bucket?endpoint=secret',
    's3://bucket?endpoint=ftp://secret',
    's3://bucket?endpoint=http://user:secret@host',
    's3://bucket?endpoint=http://host/secret',
    's3://bucket?endpoint=http://host?secret',
  ];
  for (const text of wrong) {
    assert.throws(
      () => parseStorage(text),
      (error) => error instanceof SettingError && !error.message.includes('ecret'),
      text,
    );
  }
});
