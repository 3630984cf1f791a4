import type { Model } from '../../../../upstream/catalog/models.ts';
import { LongText } from '../../large-json.ts';
import type { SentImage } from '../../take-images.ts';
import { Fields, InvalidRequest, type Named, type Violation } from '../fields.ts';
import { type GenerationConfig, readConfig, readFormat, readModalities } from '../read-config.ts';
import type { Conversation } from '../read-contents.ts';
import { type ImageWish, toWish } from '../read-request.ts';

export interface InteractionWish {
  model: Model;
  wish: ImageWish;
  /** The interaction whose image is edited. That image comes before the request's own images. */
  previous: (Named & { value: string }) | undefined;
  isInBackground: boolean;
  isStreamed: boolean;
}

/** @throws InvalidRequest with all unsupported parts, and the errors of `findModel` */
export function readInteraction(body: unknown, findModel: (name: string) => Model): InteractionWish {
  const violations: Violation[] = [];
  const fields = new Fields({ field: '', value: body }, violations);
  const name = fields.text('model');
  if (!name)
    throw new InvalidRequest([{ field: 'model', description: 'must be the name of an image model.' }]);
  const model = findModel(name.value.replace(/^models\//, ''));
  const previous = fields.text('previousInteractionId');
  const instruction = fields.text('systemInstruction');
  const said = readInput(fields);
  const config = readConfig(fields);
  readFormats(fields, config);
  readModalities(fields);
  const isInBackground = readFlag(fields, 'background');
  const isStreamed = readFlag(fields, 'stream');
  if (!readFlag(fields, 'store', true))
    fields.refuse('store', 'must be true: requests are stored for as long as their jobs.');
  const tier = fields.text('serviceTier');
  if (tier && tier.value !== 'standard') fields.refuse(tier.field, 'must be standard.');
  const place = previous && { field: previous.field, url: previous.value };
  const inputs: SentImage[] = place ? [place, ...said.inputs] : said.inputs;
  const texts = { instruction: instruction ? [instruction.value] : [], texts: said.texts };
  const wish = toWish(fields, { ...texts, inputs, config }, { model, violations, place: 'input' });
  return { model, wish, previous, isInBackground, isStreamed };
}

/** Reads a text, contents or steps. The model's latest image replaces all steps before it. */
function readInput(fields: Fields): Conversation {
  const now: Conversation = { texts: [], inputs: [] };
  for (const one of fields.list('input')) {
    const text = textOf(one.value);
    if (text !== undefined) {
      now.texts.push(text);
      continue;
    }
    const item = fields.child(one);
    const type = item.take('type')?.value;
    if (type === 'thought') continue;
    if (type !== 'user_input' && type !== 'model_output') {
      readContent(item, type, now);
      continue;
    }
    const said: Conversation = { texts: [], inputs: [] };
    for (const content of item.objects('content')) readContent(content, content.take('type')?.value, said);
    item.end();
    const image = type === 'model_output' ? said.inputs.at(-1) : undefined;
    if (image) {
      now.texts = [];
      now.inputs = [image];
      continue;
    }
    now.texts.push(...said.texts);
    now.inputs.push(...said.inputs);
  }
  return now;
}

function readContent(content: Fields, type: unknown, into: Conversation): void {
  if (type !== 'text' && type !== 'image') {
    content.refuse(`${content.field}.type`, 'must be text or image.');
    return;
  }
  const image = type === 'image' ? readImage(content) : undefined;
  if (type === 'text') into.texts.push(content.text('text')?.value ?? '');
  if (image) into.inputs.push(image);
  content.end();
}

/** Ignores the given type, because the bytes show the format. */
function readImage(content: Fields): SentImage | undefined {
  content.take('mimeType');
  const data = content.longText('data');
  const uri = content.text('uri');
  if (data) return { field: data.field, data: data.value };
  if (uri && /^https?:\/\//.test(uri.value)) return { field: uri.field, url: uri.value };
  content.refuse(content.field, 'must have the image as base64 in data, or its http(s) address in uri.');
  return undefined;
}

function readFormats(fields: Fields, config: GenerationConfig): void {
  for (const format of fields.objects('responseFormat')) {
    const type = format.take('type')?.value;
    if (type !== 'image') format.refuse(`${format.field}.type`, 'must be image: this service makes images.');
    config.aspectRatio = format.text('aspectRatio') ?? config.aspectRatio;
    config.imageSize = format.text('imageSize') ?? config.imageSize;
    config.output = { ...config.output, ...readFormat(format) };
    const delivery = format.text('delivery');
    if (delivery && delivery.value !== 'inline') format.refuse(delivery.field, 'must be inline.');
    format.end();
  }
}

function readFlag(fields: Fields, name: string, byDefault = false): boolean {
  const found = fields.take(name);
  if (!found) return byDefault;
  if (typeof found.value !== 'boolean') fields.refuse(found.field, 'must be true or false.');
  return found.value === true;
}

function textOf(value: unknown): string | undefined {
  if (value instanceof LongText) return value.read();
  return typeof value === 'string' ? value : undefined;
}
