// Names under which generators sign what they made: as a file's software, or as the agent of a manifest's first action.

/**
 * Each name is captured. Source: files that their owners published as made by these generators (eval/signers.ts and
 * eval/metadata-marks.ts print what they name).
 */
export const GENERATOR_NAMES =
  /\b(Stable Diffusion|NovelAI|Midjourney|DALL[·-]?E|Adobe Firefly|Fooocus|ComfyUI|InvokeAI|Draw Things|Google Imagen|Google Gemini|Leonardo\.Ai|Ideogram|Bing Image Creator|Recraft|ChatGPT|Dreamina|Jimeng)/i;
