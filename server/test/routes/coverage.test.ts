import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeGap, findGaps, whyUseless } from '../../src/jobs/routes/coverage.ts';
import { planRequest, type Shape } from '../../src/jobs/routes/plan-request.ts';
import { commonRatios } from '../../src/upstream/catalog/models.ts';
import { specifiedIds as modelIds } from '../../src/upstream/catalog/specified-models.ts';
import { modelOf, models, pretendedRoute } from './support.ts';

const common = { ratios: commonRatios };
const shape = (more: Partial<Shape> = {}): Shape => ({
  model: modelOf('nb2'),
  ratio: '8:1',
  resolution: '1K',
  inputs: 0,
  parameters: [],
  options: [],
  ...more,
});

test('a ratio that the upstream makes is requested unchanged', () => {
  const plan = planRequest(pretendedRoute('r'), shape({ ratio: '16:9', resolution: '2K' }));
  assert.deepEqual(plan, { ratio: '16:9', resolution: '2K', width: 2752, height: 1536 });
});

test('a ratio that the upstream does not make needs a declared fit, which requests the nearest', () => {
  assert.equal(planRequest(pretendedRoute('r', { capabilities: common }), shape()), undefined);
  const extend = planRequest(pretendedRoute('r', { capabilities: common, fit: 'extend' }), shape());
  assert.deepEqual([extend?.ratio, extend?.resolution], ['21:9', '1K']);
  // Cut from 21:9, an 8:1 image of 3072 pixels needs the next larger size.
  const crop = planRequest(pretendedRoute('r', { capabilities: common, fit: 'crop' }), shape());
  assert.deepEqual([crop?.ratio, crop?.resolution], ['21:9', '2K']);
});

test('a resolution that the upstream does not make needs a declared enlargement, a smaller one does not', () => {
  const only = (resolution: string) => ({ resolutions: [resolution] });
  const wanted = shape({ ratio: '1:1', resolution: '2K' });
  assert.equal(planRequest(pretendedRoute('r', { capabilities: only('1K') }), wanted), undefined);
  assert.equal(
    planRequest(pretendedRoute('r', { capabilities: only('1K'), upscale: true }), wanted)?.resolution,
    '1K',
  );
  assert.equal(planRequest(pretendedRoute('r', { capabilities: only('4K') }), wanted)?.resolution, '4K');
});

test('no policy makes up for inputs that a model does not take', () => {
  const route = pretendedRoute('r', { capabilities: { maxInputs: 3 }, fit: 'crop', upscale: true });
  assert.ok(planRequest(route, shape({ inputs: 3 })));
  assert.equal(planRequest(route, shape({ inputs: 4 })), undefined);
});

test('a model that only changes images serves no job without one', () => {
  const route = pretendedRoute('r', { capabilities: { minInputs: 1 } });
  assert.equal(planRequest(route, shape({ inputs: 0 })), undefined);
  assert.ok(planRequest(route, shape({ inputs: 1 })));
});

test('requests that no route serves are named, as briefly as possible', () => {
  const full = modelIds.map((model) => pretendedRoute(`${model}/r`, { model }));
  assert.deepEqual(findGaps(models, full), []);
  assert.deepEqual(findGaps(models, full.slice(1)).map(describeGap), [
    'nb: nobody makes any ratio at 1K, whatever the inputs',
  ]);
  const poor = [
    ...full.slice(0, 2),
    pretendedRoute('pro/a', { model: 'pro', capabilities: common }),
    pretendedRoute('pro/b', { model: 'pro', capabilities: { resolutions: ['1K', '2K'], maxInputs: 1 } }),
  ];
  assert.deepEqual(findGaps(models, poor).map(describeGap), [
    'pro: nobody makes 1:4, 1:8, 4:1, 8:1 at 4K, with 0 or 1 inputs',
    'pro: nobody makes 1:4, 1:8, 4:1, 8:1 at 1K, 2K, 4K, with 14 inputs',
  ]);
});

test('a route that serves nothing of its model says why, and what to do', () => {
  const why = (more: Parameters<typeof pretendedRoute>[1], model = modelOf('nb2')) =>
    whyUseless(model, pretendedRoute('r', more));
  assert.equal(why({}), undefined);
  assert.equal(why({ capabilities: { minInputs: 1 } }), undefined, 'it serves what has images');
  const square = { ...modelOf('nb2'), ratios: ['1:8'] };
  assert.match(
    why({ capabilities: common }, square) ?? '',
    /^makes none of the ratios of the model \(1:8\).* set "fit"/,
  );
  assert.equal(why({ capabilities: common, fit: 'extend' }, square), undefined);
  const large = { ...modelOf('nb2'), resolutions: new Map([...modelOf('nb2').resolutions].slice(2)) };
  const small = { capabilities: { resolutions: ['1K'] } };
  assert.match(why(small, large) ?? '', /^makes none of the resolutions of the model \(4K\), but 1K\./);
  const parameters = { steps: { type: 'integer', default: 28 }, seed: { type: 'integer' } } as const;
  const tuned = { ...modelOf('nb2'), parameters };
  assert.match(why({}, tuned) ?? '', /^has no field for steps, which every job of the model has/);
  assert.equal(why({ parameters: { steps: 'x.steps' } }, tuned), undefined);
  const text = { ...modelOf('nb2'), modes: ['text' as const], maxInputs: 0 };
  const edits = { capabilities: { minInputs: 1, maxInputs: 4 } };
  assert.match(why(edits, text) ?? '', /^takes 1 to 4 input images, and requests for the model have 0\./);
});
