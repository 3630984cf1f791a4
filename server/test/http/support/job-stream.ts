export interface JobEvent {
  event: string;
  id: string;
  job: Record<string, unknown>;
}

export interface JobStream extends Disposable {
  response: Response;
  next(): Promise<JobEvent | undefined>;
  statuses(): Promise<string[]>;
}

export async function openStream(
  url: string,
  jobId: string,
  headers: Record<string, string>,
): Promise<JobStream> {
  const leave = new AbortController();
  const response = await fetch(`${url}/api/v1/jobs/${jobId}`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: leave.signal,
  });
  const events = eventsOf(response);
  const next = async () => (await events.next()).value ?? undefined;
  return {
    response,
    next,
    async statuses() {
      const seen: string[] = [];
      for (let event = await next(); event; event = await next()) seen.push(String(event.job.status));
      return seen;
    },
    [Symbol.dispose]: () => leave.abort(),
  };
}

async function* eventsOf(response: Response): AsyncGenerator<JobEvent, undefined> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]),
      );
      const data = fields.get('data');
      if (data !== undefined)
        yield { event: fields.get('event') ?? '', id: fields.get('id') ?? '', job: JSON.parse(data) };
    }
  }
  return undefined;
}
