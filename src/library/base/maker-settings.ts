// What settings of services of image makers may say.

/** How services of image makers are reached; null: not at all. */
export interface MakerSettings {
  /** An API key of OpenAI. */
  readonly openAi: string | null;
  /** A resource of Azure AI Content Safety. */
  readonly azure: { readonly url: string; readonly key: string } | null;
}

/** Names without their prefix. */
interface NamedSettings {
  text(name: string): string | null;
  parsed<T>(name: string, parse: (text: string) => T | null, expected: string): T | null;
  refuse(fault: string): void;
}

const AZURE_URL = /^https:\/\/[a-z0-9][a-z0-9-]{0,62}\.cognitiveservices\.azure\.com\/?$/;

/** Azure's address and key are set together, and the address is one of Azure's. */
export function readMakers(settings: NamedSettings): MakerSettings {
  const url = settings.parsed(
    'AZURE_SAFETY_URL',
    (text) => (AZURE_URL.test(text) ? text : null),
    'https://NAME.cognitiveservices.azure.com',
  );
  const key = settings.text('AZURE_SAFETY_KEY');
  if ((settings.text('AZURE_SAFETY_URL') === null) !== (key === null))
    settings.refuse('Expected both of TELLTALE_AZURE_SAFETY_URL and TELLTALE_AZURE_SAFETY_KEY, or none');
  return { openAi: settings.text('OPENAI_KEY'), azure: url !== null && key !== null ? { url, key } : null };
}
