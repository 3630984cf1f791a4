-- What 0.1.0 wrote: an account with a key and a webhook; jobs that are done, failed and queued; pauses of a model and of an account. NOW is when it is loaded.
insert into accounts (id, name, balance_micros, reserved_micros, created_at) values
  ('01980000-0000-7000-8000-0000000000a1', 'shop', 9960000, 40000, NOW-3600000);
insert into api_keys (id, account_id, name, hash, hint, models, created_at) values
  ('01980000-0000-7000-8000-0000000000b1', '01980000-0000-7000-8000-0000000000a1', 'web', '3accfcf00ff28aa655c46d69133e79af3ba0a88583d067ebcd74ca94da9499f4', 'dk_aXxC…I6dg', null, NOW-3600000);
insert into jobs (id, account_id, key_id, model, mode, prompt, requested_ratio, aspect_ratio, resolution, price_micros, callback_url,
  idempotency_key, inputs, status, attempt, worker, claimable_at, failures, route, remote_id, created_at, started_at, finished_at, error,
  error_code, image_key, image_width, image_height, image_bytes, image_sha256, notes, request_id) values
  ('01980000-0000-7000-8000-0000000000c1', '01980000-0000-7000-8000-0000000000a1', '01980000-0000-7000-8000-0000000000b1', 'nb2', 'text',
    'a lighthouse', '1:1', '1:1', '1K', 40000, null, 'order-1', '[]', 'done', 1, null, NOW-3599000, '[]', 'nb2/sketch', null, NOW-3599000,
    NOW-3598500, NOW-3596500, null, null, 'results/01980000-0000-7000-8000-0000000000c1/1.png', 1024, 1024, 1000,
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', null, 'req-one'),
  ('01980000-0000-7000-8000-0000000000c2', '01980000-0000-7000-8000-0000000000a1', '01980000-0000-7000-8000-0000000000b1', 'nb2', 'text',
    'a storm', '4:3', null, '1K', 40000, null, null, '[]', 'failed', 1, null, NOW-3598000, '[]', 'nb2/sketch', null, NOW-3598000,
    NOW-3597500, NOW-3595500, 'The provider refused the prompt.', 'safety_blocked', null, null, null, null, null, null, 'req-two'),
  ('01980000-0000-7000-8000-0000000000c3', '01980000-0000-7000-8000-0000000000a1', '01980000-0000-7000-8000-0000000000b1', 'nb2', 'text',
    'a harbour', '1:1', null, '1K', 40000, null, null, '[]', 'queued', 0, null, NOW, '[]', null, null, NOW, null, null, null,
    null, null, null, null, null, null, null, null);
insert into entries (account_id, job_id, kind, amount_micros, reason, created_at) values
  ('01980000-0000-7000-8000-0000000000a1', null, 'credit', 10000000, 'invoice 1', NOW-3600000),
  ('01980000-0000-7000-8000-0000000000a1', '01980000-0000-7000-8000-0000000000c1', 'reserve', 40000, null, NOW-3599000),
  ('01980000-0000-7000-8000-0000000000a1', '01980000-0000-7000-8000-0000000000c2', 'reserve', 40000, null, NOW-3598000),
  ('01980000-0000-7000-8000-0000000000a1', '01980000-0000-7000-8000-0000000000c1', 'capture', 40000, null, NOW-3596500),
  ('01980000-0000-7000-8000-0000000000a1', '01980000-0000-7000-8000-0000000000c2', 'release', 40000, null, NOW-3595500),
  ('01980000-0000-7000-8000-0000000000a1', '01980000-0000-7000-8000-0000000000c3', 'reserve', 40000, null, NOW);
insert into idempotency_keys (account_id, key, fingerprint, job_id, holder, held_until, created_at) values
  ('01980000-0000-7000-8000-0000000000a1', 'order-1', '82b0b942c5cc59cb4de52cb8e6673fd3d3045d54cc3541f5ead1dd42d46abdab', '01980000-0000-7000-8000-0000000000c1', null, null, NOW-3599000);
insert into events (id, account_id, job_id, type, created_at) values
  ('evt_01980000000070008000000000000001', '01980000-0000-7000-8000-0000000000a1', '01980000-0000-7000-8000-0000000000c1', 'job.done', NOW-3596500),
  ('evt_01980000000070008000000000000002', '01980000-0000-7000-8000-0000000000a1', '01980000-0000-7000-8000-0000000000c2', 'job.failed', NOW-3595500);
insert into endpoints (account_id, id, url, created_at, failing_since, disabled_at, disabled_reason) values
  ('01980000-0000-7000-8000-0000000000a1', '01980000-0000-7000-8000-0000000000d1', 'https://shop.example/hook', NOW-3600000, null, null, null);
insert into deliveries (event_id, account_id, endpoint_id, url, lane, status, attempt, worker, claimable_at, failure, created_at, ended_at) values
  ('evt_01980000000070008000000000000001', '01980000-0000-7000-8000-0000000000a1', '01980000-0000-7000-8000-0000000000d1',
    'https://shop.example/hook', 'shop', 'delivered', 1, null, NOW-3596500, null, NOW-3596500, NOW-3596300);
insert into pauses (scope, reason, until, created_at) values
  ('nb', 'A new machine', null, NOW-3590000),
  ('01980000-0000-7000-8000-0000000000a9', 'Between us', null, NOW-3590000);
