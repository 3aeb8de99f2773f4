// Settings for makers' services, which tell whether a maker's own image generator made an image.

/** Access to makers' services. Null disables a service. */
export interface MakerSettings {
  /** API key of OpenAI. */
  readonly openAi: string | null;
  /** Address and key of a resource of Azure AI Content Safety. */
  readonly azure: { readonly url: string; readonly key: string } | null;
}

/** Reader of settings, which takes their names without the prefix TELLTALE_. */
interface NamedSettings {
  text(name: string): string | null;
  parsed<T>(name: string, parse: (text: string) => T | null, expected: string): T | null;
  refuse(fault: string): void;
}

const AZURE_URL = /^https:\/\/[a-z0-9][a-z0-9-]{0,62}\.cognitiveservices\.azure\.com\/?$/;

/** Reads the access to makers' services. Azure needs an address, on its own domain, together with a key. */
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
