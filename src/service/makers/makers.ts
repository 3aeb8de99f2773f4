// Asks the services of companies that run image generators about an image, if the caller requests it. The
// results are shown as marks and never decide the verdict.
import type { Logger } from 'pino';
import { listMakers, MAKER_NAMES, takeMakerRequest, type MakerName } from '../../accounts/makers.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { MakerSettings } from 'telltale-engine/internal/base/settings.js';
import type { MakerAnswer, MakerFailure } from 'telltale-engine/internal/check/makers.js';
import type { CheckInput, Mark } from 'telltale-engine/internal/check/types.js';
import type { Database } from '../../storage/db/database.js';
import type { FetcherOptions } from '../outbound/guarded-agent.js';
import { createJsonClient } from '../outbound/json-client.js';
import { createAzure } from './azure.js';
import { MakerFault, type MakerQueryImage, type Connector } from './connector.js';
import { createOpenAi } from './openai.js';

/** Functions that create each connector. They return null if the connector's settings are missing. */
const CONNECTORS: Readonly<Record<MakerName, (settings: MakerSettings) => Connector | null>> = {
  openai: ({ openAi }) => (openAi === null ? null : createOpenAi(openAi)),
  azure: ({ azure }) => azure && createAzure(azure),
};

/** Share of a check's remaining time that the services may use. The rest is for finishing the check. */
const SHARE_OF_TIME = 0.8;

/** Results of all services that were asked about one image. */
interface MakerFindings {
  readonly marks: readonly Mark[];
  readonly answers: readonly MakerAnswer[];
}

/** Function that asks all services about an image, for at most `limitMs` in total. Never rejects. */
export type AskMakers = (
  image: MakerQueryImage,
  limitMs: number,
  signal: AbortSignal,
) => Promise<MakerFindings>;

/** The configured services of image-generator companies. Created once per process. */
export interface Makers {
  /**
   * Returns the function that asks the services enabled for an account. Throws CheckError not_configured if
   * this installation has no services, or forbidden if none is enabled for the account.
   */
  of(accountId: string): Promise<AskMakers>;
  close(): Promise<void>;
}

/** Creates a connector to each configured detection service of a generator company. Sends nothing yet. */
export function createMakers(
  settings: MakerSettings,
  database: Database,
  { log, ...fetching }: FetcherOptions & { readonly log: Logger },
): Makers {
  const connectors = MAKER_NAMES.flatMap((name) => CONNECTORS[name](settings) ?? []);
  const client = createJsonClient(fetching);
  const askOne = async (
    connector: Connector,
    accountId: string,
    ...[image, limitMs, signal]: Parameters<AskMakers>
  ): Promise<MakerAnswer> => {
    const { name } = connector;
    const refusal = connector.refuse(image);
    if (refusal !== null) return unavailable(name, refusal);
    const timeout = AbortSignal.timeout(Math.floor(Math.min(connector.timeoutMs, SHARE_OF_TIME * limitMs)));
    try {
      if (!(await takeMakerRequest(database, accountId, name))) return unavailable(name, 'quota_exceeded');
      const signals = await connector.ask(image, client, AbortSignal.any([signal, timeout]));
      return { service: name, state: 'answered', why: null, signals };
    } catch (error) {
      const why = error instanceof MakerFault ? error.failure : timeout.aborted ? 'timed_out' : 'failed';
      if (!signal.aborted) log.warn({ maker: name, why, err: error }, "a maker's service returned no result");
      return unavailable(name, why);
    }
  };
  return {
    async of(accountId) {
      if (connectors.length === 0)
        throw new CheckError(
          'not_configured',
          "provenance=ask needs a maker's service; the operator can set TELLTALE_OPENAI_KEY or TELLTALE_AZURE_SAFETY_URL",
        );
      const enabledMakers = await listMakers(database, accountId);
      const enabledConnectors = connectors.filter(({ name }) =>
        enabledMakers.some(({ maker }) => maker === name),
      );
      if (enabledConnectors.length === 0)
        throw new CheckError(
          'forbidden',
          "no maker's service is enabled for this account; the operator can enable one with 'telltale accounts makers'",
          { param: 'provenance' },
        );
      return async (...queryArguments) => {
        const results = await Promise.all(
          enabledConnectors.map(async (connector) => {
            const answer = await askOne(connector, accountId, ...queryArguments);
            return { answer, marks: marksOf(connector.title, answer) };
          }),
        );
        return { answers: results.map(({ answer }) => answer), marks: results.flatMap(({ marks }) => marks) };
      };
    },
    close: () => client.close(),
  };
}

function unavailable(service: string, why: MakerFailure): MakerAnswer {
  return { service, state: 'unavailable', why, signals: [] };
}

const NAMES = { c2pa: 'Content Credentials', synthid: 'SynthID watermark', watermark: 'watermark' } as const;

/** Converts detected signals to marks. Watermarks come first; Content Credentials are read locally, too. */
function marksOf(title: string, { service, signals }: MakerAnswer): readonly Mark[] {
  return signals
    .filter(({ detected }) => detected)
    .sort((one, other) => Number(one.type === 'c2pa') - Number(other.type === 'c2pa'))
    .map(({ type, issuer, model, at }) => ({
      kind: 'maker',
      generator: title,
      // Content Credentials that name no model may come from a tool that does not generate images.
      says: type === 'c2pa' && model === null ? 'possibly_generated' : 'generated',
      where: `${service}:${type}`,
      value: [NAMES[type], issuer, model, at].filter((part) => part !== null).join(', '),
    }));
}

/**
 * Returns check options that ask the makers' services, unless `ask` is null. Responses are stored in `responses`.
 */
export function prepareMakerQuery(
  ask: AskMakers | null,
  image: Omit<MakerQueryImage, 'format'>,
  remainingMs: () => number,
  signal: AbortSignal,
): {
  readonly responses: { readonly provenance: readonly MakerAnswer[] | null };
  readonly options: Pick<CheckInput, 'findMarks'>;
} {
  const responses: { provenance: readonly MakerAnswer[] | null } = { provenance: null };
  if (ask === null) return { responses, options: {} };
  const findMarks: CheckInput['findMarks'] = async ({ format }) => {
    const { marks, answers } = await ask({ ...image, format }, remainingMs(), signal);
    responses.provenance = answers;
    return marks;
  };
  return { responses, options: { findMarks } };
}
