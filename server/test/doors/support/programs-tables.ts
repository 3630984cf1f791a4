// The tables of docs/guides/programs.md. Each cell names the tests that prove it: a file, or one test in it.
// `server/test/docs/programs-tables.test.ts` finds them, and compares the guide with these tables.

/** A file of the repository, or one of its tests: `file: name`. */
type Run = `${string}.${'ts' | 'py'}` | `${string}.ts: ${string}`;
type Cell = readonly [text: string, ...runs: Run[]] | null;

export interface ProgramsTable {
  columns: readonly string[];
  rows: readonly (readonly [program: string, ...cells: Cell[]])[];
}

const doors = 'server/test/doors';
const python = 'scripts/clients';
const openAiSdk = `${doors}/openai.test.ts: the AI SDK makes and edits an image`;
const googleSdk = `${doors}/gemini.test.ts: the AI SDK makes images from texts and from images`;
const liteLlmSdk = `${python}/litellm_door.py`;
const liteLlmProxy = 'scripts/clients.ts: runLiteLlm';
const programs = (name: string): Run => `${doors}/programs.test.ts: ${name}`;
const shownByNodes = programs(
  'the nodes show why an image was refused, which they read from error.message and detail',
);

export const tasks: ProgramsTable = {
  columns: [
    'program',
    'one image',
    'edits',
    'several images',
    'streaming',
    'asynchronous',
    'request files',
    'a refusal looks like',
  ],
  rows: [
    [
      'openai for JavaScript and Python',
      [
        'yes',
        `${doors}/openai.test.ts: an image is returned as base64, in the nearest size that the model has`,
        `${python}/openai_door.py`,
      ],
      [
        'yes; masks if a route supports them',
        `${doors}/openai.test.ts: an edit accepts files and JSON, and leaves no upload behind`,
        `${doors}/openai-options.test.ts: every option of the official client works, or is refused by name, as the guide says`,
        `${python}/openai_door.py`,
      ],
      [
        '`n` up to 10',
        `${doors}/openai.test.ts: an image is returned as base64, in the nearest size that the model has`,
        `${doors}/openai-options.test.ts: every option of the official client works, or is refused by name, as the guide says`,
        `${python}/openai_door.py`,
      ],
      [
        'the finished image',
        `${doors}/openai.test.ts: a stream sends the finished image`,
        `${python}/openai_door.py`,
      ],
      [
        '`Prefer: respond-async`',
        `${doors}/openai-tasks.test.ts: with Prefer: respond-async`,
        'scripts/clients.ts: runGuides',
      ],
      [
        'yes',
        `${doors}/openai-batches.test.ts: OpenAI's documented batch example runs as written`,
        `${python}/openai_door.py`,
      ],
      [
        '`BadRequestError` with `param` and `code`',
        `${doors}/openai.test.ts: errors have OpenAI's form, even for unknown addresses and without a key`,
        `${python}/openai_door.py`,
      ],
    ],
    [
      'google-genai for JavaScript and Python',
      [
        'yes',
        `${doors}/gemini.test.ts: @google/genai makes an image from a text, with a ratio and a size`,
        `${python}/google_door.py`,
      ],
      [
        'yes, chats too',
        `${doors}/gemini.test.ts: the request’s images, inline and by address, become the job’s inputs, and nothing else of them is kept`,
        `${doors}/gemini.test.ts: a chat continues from its latest image`,
        `${python}/google_door.py`,
      ],
      ['one request per image', `${python}/google_door.py`],
      [
        'one chunk',
        `${doors}/gemini.test.ts: a stream is the whole answer in one chunk`,
        `${python}/google_door.py`,
      ],
      [
        '`interactions` (JavaScript)',
        `${doors}/gemini-interactions.test.ts: an interaction in the background is read until it has ended, and can be cancelled`,
      ],
      ['refused, 404', `${doors}/gemini-guide.test.ts: batches.create`],
      ['`ApiError` with the fields of a `BadRequest`', `${python}/google_door.py`],
    ],
    [
      'AI SDK, openai-compatible',
      ['yes', openAiSdk],
      ['yes', openAiSdk],
      ['`n`', openAiSdk],
      null,
      null,
      null,
      ['`APICallError`, whose message says why', openAiSdk],
    ],
    [
      'AI SDK, google',
      ['yes', googleSdk],
      ['yes', googleSdk],
      ['`n`', googleSdk],
      null,
      null,
      null,
      ['`APICallError`, whose message says why', googleSdk],
    ],
    [
      'LiteLLM, SDK',
      ['yes', liteLlmSdk],
      ['yes', liteLlmSdk],
      ['`n`', liteLlmSdk],
      null,
      null,
      null,
      ['`BadRequestError` with our answer in its text', liteLlmSdk],
    ],
    [
      'LiteLLM, proxy',
      ['yes', liteLlmProxy],
      ['yes', liteLlmProxy],
      null,
      null,
      null,
      null,
      ['400 with our answer in `error.message`', liteLlmProxy],
    ],
    [
      'LangChain, `DallEAPIWrapper`',
      ['[by names](#langchain)', `${python}/langchain_door.py`],
      null,
      null,
      null,
      null,
      null,
      ["`BadRequestError` of openai's client", `${python}/langchain_door.py`],
    ],
    [
      'Open WebUI',
      ['yes', programs('generates an image with the settings of the guide')],
      ['yes, of several images', programs('edits one image, and several')],
      null,
      null,
      null,
      null,
      [
        'the status line, which says why',
        programs('shows why an image was refused, although it reads only the status line'),
      ],
    ],
    [
      'n8n, the OpenAI node',
      ['yes', programs('the OpenAI node checks its credential, and generates an image')],
      ['yes', programs('the OpenAI node edits images')],
      null,
      null,
      null,
      null,
      ["n8n's title for the status, with the reason below it", shownByNodes],
    ],
    [
      'n8n, HTTP Request',
      [
        'yes',
        programs(
          'HTTP Request makes an image with the settings of the guide, and a repeated execution finds it',
        ),
      ],
      null,
      null,
      null,
      [
        '`Prefer: wait=60`',
        programs(
          'HTTP Request makes an image with the settings of the guide, and a repeated execution finds it',
        ),
      ],
      null,
      ["n8n's title for the status, with the reason below it", shownByNodes],
    ],
    [
      'MCP: the Python SDK, inspector, FastMCP with its sign-in',
      ['yes', `${python}/mcp_door.py`, 'scripts/mcp-conformance/main.ts'],
      ['`images`', `${doors}/mcp.test.ts: earlier images can be inputs of later ones, and are resources`],
      ['one call per image', `${python}/mcp_door.py`],
      ['progress (SDK)', `${python}/mcp_door.py`],
      [
        '`wait_seconds`, then `get_job`',
        `${doors}/mcp.test.ts: a call that does not wait gets its image’s id at once`,
      ],
      null,
      ['a tool result with `isError` that says what to do', `${python}/mcp_door.py`],
    ],
  ],
};

const cut = (program: string): Run => `${doors}/cut-clients.test.ts: ${program}`;
const pythonCut = 'scripts/clients.ts: runCut';
const proxyCut = 'scripts/clients.ts: runCutLiteLlm';
const third = 'gets its image with the third request';

export const cuts: ProgramsTable = {
  columns: [
    'program',
    'requests it sends',
    'when the proxy cuts it',
    'after its own time-out',
    'images paid',
  ],
  rows: [
    [
      'openai for JavaScript and Python',
      ['3', cut('openai-js'), pythonCut],
      [third, cut('openai-js'), pythonCut],
      ['gets its image', cut('openai-js'), pythonCut],
      ['one', cut('assertPaidOnce'), 'scripts/clients.ts: assertPaidOnce'],
    ],
    [
      'AI SDK, openai-compatible and google',
      ['3', cut('the AI SDK, openai-compatible'), cut('the AI SDK, google')],
      [third, cut('the AI SDK, openai-compatible'), cut('the AI SDK, google')],
      ['has no time-out; gets its image when it is called again', cut('byImpatientAiSdk')],
      ['one', cut('assertPaidOnce')],
    ],
    [
      'google-genai for JavaScript and Python, with retries',
      ['as configured', cut('@google/genai'), pythonCut],
      [third, cut('@google/genai'), pythonCut],
      ['gets its image', cut('@google/genai'), pythonCut],
      ['one', cut('assertPaidOnce'), 'scripts/clients.ts: assertPaidOnce'],
    ],
    [
      'LiteLLM, SDK',
      ['3', pythonCut],
      [third, pythonCut],
      ['gets its image', pythonCut],
      ['one', 'scripts/clients.ts: assertPaidOnce'],
    ],
    [
      'LiteLLM, proxy with the settings [below](#litellm-in-front)',
      ['9', proxyCut],
      ['gets its image with the ninth request', proxyCut],
      null,
      ['one', 'scripts/clients.ts: assertPaidOnce'],
    ],
    [
      'an agent over MCP, told to try again',
      ['as told', cut('an agent over MCP'), pythonCut],
      [third, cut('an agent over MCP'), pythonCut],
      ['gets its image', cut('an agent over MCP'), pythonCut],
      ['one', cut('assertPaidOnce'), 'scripts/clients.ts: assertPaidOnce'],
    ],
  ],
};
