// Settings for provenance services: each is run by a company with an image generator, and tells whether this
// generator made an image.

/** Access to the provenance services of generator companies. Null disables a service. */
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

/**
 * Reads the access to the generator companies' services. Azure needs a key and an address on Azure's own
 * domain.
 */
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
