import { once } from 'node:events';
import type { FastifyRequest } from 'fastify';
import type { BodyReader } from '../../../../base/http/bodies/body-budget.ts';
import { openForm } from '../../../../base/http/sent-file.ts';
import { wrongField } from '../../door-errors.ts';
import type { Fields } from '../fields.ts';

export interface FileForm {
  fields: Fields;
  file: { name: string; content: Buffer } | undefined;
}

const formLimits = {
  files: 1,
  fields: 10,
  fieldNameSize: 100,
  fieldSize: 1_000,
  headerPairs: 20,
  headerSize: 8_192,
};

/** Fields may have any order, because some programs send the purpose after the file. */
export function readFileForm({ headers }: FastifyRequest): BodyReader {
  const form = openForm(headers, formLimits);
  const fields: Fields = Object.create(null) as Fields;
  const pieces: Buffer[] = [];
  let name: string | undefined;
  let mistake: Error | undefined;
  const note = (pointer: string, message: string) => {
    mistake ??= wrongField(pointer, message);
  };
  form.on('field', (field, value) => {
    fields[field] = value;
  });
  form.on('file', (field, stream, sentName) => {
    if (field !== 'file') note(`/${field}`, 'The form must have one file, in the field file.');
    name = sentName ?? '';
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('error', () => note('', 'The form ends in the middle of a file.'));
  });
  form.on('filesLimit', () => note('/file', 'The form must have one file.'));
  form.on('fieldsLimit', () => note('', 'The form has too many fields.'));
  form.on('error', (error: Error) => note('', `The form cannot be read: ${error.message}.`));
  const finished = once(form, 'finish').catch(() => {}); // its errors are noted above
  return {
    take(chunk) {
      form.write(chunk);
      if (mistake) throw mistake;
    },
    async end(): Promise<FileForm> {
      form.end();
      await finished;
      if (mistake) throw mistake;
      return {
        fields: { ...fields },
        file: name === undefined ? undefined : { name, content: Buffer.concat(pieces) },
      };
    },
  };
}
