// The findings of a past check: the stored image with outlines and heat map, scores, credentials and marks.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import type { CheckFindings, Me, ShownCheck } from '../../../src/service/console/shapes.js';
import { ApiError, call } from '../api.js';
import { Fault } from '../components/fault.js';
import { Credentials } from '../try/credentials.js';
import { Detectors } from '../try/detectors.js';
import type { Item } from '../try/items.js';
import { Marks } from '../try/marks.js';
import { SeenBefore } from '../try/seen.js';
import { Warnings } from '../try/verdict.js';
import { Viewer } from '../try/viewer.js';
import { nameOf } from './tile.js';

/** Pause in milliseconds before the findings are requested, so that stepping through checks starts no analysis. */
const PAUSE_MS = 250;
const MAX_WAIT_S = 10;

/** Findings of a check, or why they could not be loaded. */
export type LoadedFindings = { readonly findings: CheckFindings | null; readonly fault: string };

/** Loads the findings of a check. Tries again while the service is busy. Stops when another check is shown. */
export function useFindings(id: string): LoadedFindings {
  const [loaded, setLoaded] = useState<LoadedFindings>({ findings: null, fault: '' });
  useEffect(() => {
    const left = new AbortController();
    let timer = 0;
    const load = (): void => {
      call<CheckFindings>('GET', `/checks/${id}/findings`, undefined, left.signal).then(
        (findings) => setLoaded({ findings, fault: '' }),
        (error: unknown) => {
          if (left.signal.aborted || !(error instanceof ApiError)) return;
          if (error.code === 'rate_limited' || error.code === 'overloaded')
            timer = window.setTimeout(load, Math.min(MAX_WAIT_S, error.retryAfterS ?? 1) * 1000);
          else setLoaded({ findings: null, fault: error.message });
        },
      );
    };
    timer = window.setTimeout(load, PAUSE_MS);
    return () => {
      left.abort();
      window.clearTimeout(timer);
    };
  }, [id]);
  return loaded;
}

/** Draws the stored image. Adds outlines and the heat map when the findings have arrived. */
export function StoredImage(props: { check: ShownCheck; me: Me; loaded: LoadedFindings }): JSX.Element {
  const { check, me, loaded } = props;
  const url = `/console/api/checks/${check.id}/image`;
  const result = loaded.findings?.again?.result ?? null;
  const item: Item = {
    id: 0,
    name: nameOf(check),
    source: { kind: 'url', url },
    shownUrl: url,
    state: stateOf(result, loaded.fault),
  };
  const { threshold } = me.service.profiles[check.profile].face_specialist;
  return (
    <div class="middle">
      {/* The service already sends a PNG of an image that browsers don't show. */}
      <Viewer item={item} faceThreshold={threshold} onBroken={() => undefined} />
      <Fault fault={loaded.fault} />
      <a class="small" href={url} target="_blank" rel="noreferrer">
        The image alone
      </a>
    </div>
  );
}

function stateOf(result: CheckResult | null, fault: string): Item['state'] {
  if (result) return { kind: 'done', result, isReported: false };
  return fault === ''
    ? { kind: 'sending', part: 1 }
    : { kind: 'refused', error: new ApiError('unreachable', fault, 0) };
}

/** Draws the findings next to the image, or what is stored of a check without its image. */
export function Findings(props: { check: ShownCheck; me: Me; loaded: LoadedFindings }): JSX.Element | null {
  const { check, me, loaded } = props;
  const [profile, setProfile] = useState(check.profile);
  const { findings } = loaded;
  if (findings === null) return null;
  if (findings.again === null) return <NotKept kept={findings.kept} />;
  const { result, is_same: isSame } = findings.again;
  const { warnings = [] } = result.details ?? {};
  return (
    <div class="findings">
      <p class="quiet small">
        {isSame
          ? 'Computed again from the stored image.'
          : `Computed again from the stored image with ${result.model}, ${result.bands_version}. The check used ${check.model}, ${check.bands_version}, so figures may differ.`}
      </p>
      <Detectors result={result} profiles={me.service.profiles} profile={profile} onProfile={setProfile} />
      {warnings.length > 0 && <Warnings warnings={warnings} />}
      <Credentials result={result} />
      <Marks result={result} />
      <SeenBefore seen={result.details?.seen} />
    </div>
  );
}

/** Draws what the history stores of a check whose image is not stored. */
function NotKept({ kept }: { kept: CheckFindings['kept'] }): JSX.Element {
  return (
    <section class="not-kept" aria-label="Findings">
      <p>
        <strong>The image was not kept.</strong> Its heat map, outlines, marks and the details of its Content
        Credentials are not stored either. To see them later, keep the image (<code>store=true</code>) or save
        the record of the check.
      </p>
      {kept && (
        <dl class="facts">
          <dt>Image</dt>
          <dd>
            {kept.image.width} × {kept.image.height} px
          </dd>
          <dt>Face</dt>
          <dd>{describeFace(kept)}</dd>
          <dt>Content Credentials</dt>
          <dd>{describeCredentials(kept.content_credentials)}</dd>
        </dl>
      )}
    </section>
  );
}

type Kept = NonNullable<CheckFindings['kept']>;

function describeFace({ face_box: box }: Kept): string {
  if (box === null) return 'none was scored';
  const [x, y, width, height] = box;
  return `${width} × ${height} px, at ${x}, ${y} from the top left`;
}

function describeCredentials(credentials: Kept['content_credentials']): string {
  if (!credentials.found) return 'none';
  const { signer, verified, ai } = credentials;
  return `signed by ${signer ?? 'an unreadable signer'}, ${verified ? 'verified' : 'not verified'}, ${ai ? 'record AI' : 'record no AI'}`;
}
