import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import Type, { type TSchema } from 'typebox';
import { clientGone } from '../../base/http/client-gone.ts';

interface Download {
  mediaType: string;
  /** Null if the browser shows the answer instead of saving it. */
  fileName: string | null;
  /** The signal aborts if the reader disconnects. */
  content: Readable | ((left: AbortSignal) => Promise<{ body: Readable; bytes?: number }>);
}

/** Marks a download, as opposed to an answer in JSON. */
export class Streamed {
  readonly download: Download;

  constructor(download: Download) {
    this.download = download;
  }

  async send(reply: FastifyReply): Promise<FastifyReply> {
    const { mediaType, fileName, content } = this.download;
    const isOpen = content instanceof Readable;
    const isHead = reply.request.method === 'HEAD';
    const opened = isHead || isOpen ? undefined : await content(clientGone(reply));
    reply.type(mediaType);
    if (fileName !== null) reply.header('content-disposition', attachmentOf(fileName));
    if (opened?.bytes !== undefined) reply.header('content-length', opened.bytes);
    if (isHead && isOpen) content.destroy();
    if (isHead) return reply.send();
    return reply.send(isOpen ? content : opened?.body);
  }
}

export const streamed = Type.Unsafe<Streamed>({});

/** Whether pages make the call through a link, so that the browser saves the answer. Links send no headers. */
export function isLinked({ reply }: { reply: TSchema }): boolean {
  return reply === streamed;
}

/** Names a file in ASCII, for older programs. If the name has other characters, adds it in the form of RFC 6266. */
function attachmentOf(fileName: string): string {
  const plain = `attachment; filename="${fileName.replaceAll(/[^ -~]|"/g, '_')}"`;
  if (/^[ -~]*$/.test(fileName)) return plain;
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `${plain}; filename*=UTF-8''${encoded}`;
}
