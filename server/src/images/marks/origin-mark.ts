/** The IPTC's terms for the origin of an image: http://cv.iptc.org/newscodes/digitalsourcetype/ */
export type SourceType =
  | 'trainedAlgorithmicMedia'
  | 'compositeWithTrainedAlgorithmicMedia'
  /** Drawn by a program, not by a trained model. */
  | 'algorithmicMedia';

/** What a result states about its origin. It never has the prompt or the account, because people pass results on. */
export interface OriginMark {
  sourceType: SourceType;
  jobId: string;
  madeAtMs: number;
}

export interface MarkPolicy {
  /** Whether a PNG signed upstream (C2PA) keeps its statement. It then gets no mark, which would make that invalid. */
  keepSigned: boolean;
  /** The maker of the images, as registered for the label of GB 45438; null for no label. */
  aigcProducer: string | null;
}

export function sourceTypeOf({ drawn, inputs }: { drawn: boolean; inputs: number }): SourceType {
  if (drawn) return 'algorithmicMedia';
  return inputs > 0 ? 'compositeWithTrainedAlgorithmicMedia' : 'trainedAlgorithmicMedia';
}

/** The mark as an XMP packet (ISO 16684-1), whose `DigitalSourceType` every reader of IPTC's photo metadata knows. */
export function xmpOf(
  { sourceType, ...made }: OriginMark | Pick<OriginMark, 'sourceType'>,
  { aigcProducer }: Pick<MarkPolicy, 'aigcProducer'>,
): string {
  const properties: [prefix: keyof typeof namespaces, name: string, value: string][] = [
    ['Iptc4xmpExt', 'DigitalSourceType', `http://cv.iptc.org/newscodes/digitalsourcetype/${sourceType}`],
    ['xmp', 'CreatorTool', 'Darkroom'],
  ];
  if ('jobId' in made) {
    properties.push(['xmp', 'CreateDate', new Date(made.madeAtMs).toISOString()]);
    properties.push(['dc', 'identifier', made.jobId]);
    if (aigcProducer !== null) properties.push(['TC260', 'AIGC', aigcLabel(aigcProducer, made.jobId)]);
  }
  return [
    '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>',
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    '<rdf:Description rdf:about="">',
    ...properties.map(([prefix, name, value]) => {
      const tag = `${prefix}:${name}`;
      return `<${tag} xmlns:${prefix}="${namespaces[prefix]}">${escapeXml(value)}</${tag}>`;
    }),
    '</rdf:Description></rdf:RDF></x:xmpmeta>',
    '<?xpacket end="r"?>',
  ].join('');
}

const namespaces = {
  Iptc4xmpExt: 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  dc: 'http://purl.org/dc/elements/1.1/',
  TC260: 'http://www.tc260.org.cn/ns/AIGC/1.0/',
};

/** The label of GB 45438-2025, appendix E. Label 1 means generated content. Producers choose the reserved codes. */
function aigcLabel(producer: string, jobId: string): string {
  return JSON.stringify({
    Label: '1',
    ContentProducer: producer,
    ProduceID: jobId,
    ReservedCode1: '',
    ContentPropagator: '',
    PropagateID: '',
    ReservedCode2: '',
  });
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
