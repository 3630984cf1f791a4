import type { SentImage } from '../take-images.ts';
import type { Fields } from './fields.ts';

export interface Conversation {
  texts: string[];
  inputs: SentImage[];
}

/** Makes the model's latest image the first input. Drops earlier texts and images, which would apply twice. */
export function readContents(body: Fields): Conversation {
  const now: Conversation = { texts: [], inputs: [] };
  for (const turn of body.objects('contents')) {
    const role = turn.text('role');
    if (role && role.value !== 'user' && role.value !== 'model')
      turn.refuse(role.field, 'must be user or model.');
    const said = readParts(turn);
    turn.end();
    const image = role?.value === 'model' ? said.inputs.at(-1) : undefined;
    if (image) {
      now.texts = [];
      now.inputs = [image];
      continue;
    }
    if (said.texts.length > 0) now.texts.push(said.texts.join('\n'));
    now.inputs.push(...said.inputs);
  }
  return now;
}

/** Reads texts and images in order, without a model's thoughts. */
export function readParts(turn: Fields): Conversation {
  const said: Conversation = { texts: [], inputs: [] };
  for (const part of turn.objects('parts')) {
    const text = part.text('text')?.value ?? '';
    const input = readInline(part.object('inlineData')) ?? readFile(part.object('fileData'));
    const isThought = part.take('thought')?.value === true;
    // The signature is ignored, because only Google's servers can read it.
    part.take('thoughtSignature');
    part.end();
    if (isThought) continue;
    if (text !== '') said.texts.push(text);
    if (input) said.inputs.push(input);
  }
  return said;
}

function readInline(blob: Fields | undefined): SentImage | undefined {
  if (!blob) return undefined;
  const data = blob.longText('data');
  refuseOthers(blob);
  if (!data) {
    blob.refuse(blob.field, 'must have the image as base64 in data.');
    return undefined;
  }
  return { field: data.field, data: data.value };
}

function readFile(file: Fields | undefined): SentImage | undefined {
  if (!file) return undefined;
  const uri = file.text('fileUri');
  refuseOthers(file);
  if (uri && /^https?:\/\//.test(uri.value)) return { field: uri.field, url: uri.value };
  file.refuse(
    uri?.field ?? file.field,
    'must be an address of an image that starts with http:// or https://.',
  );
  return undefined;
}

/** Uses the type only to refuse other media, because the bytes show the image's format. */
function refuseOthers(blob: Fields): void {
  const type = blob.text('mimeType');
  if (type && !type.value.startsWith('image/')) blob.refuse(type.field, 'must be an image.');
  blob.take('displayName');
  blob.end();
}
