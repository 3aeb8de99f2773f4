// Converting a report to `details`, the optional part of a check result.
import type { Details, PresentedBand } from './details-schema.js';
import { roundMs, roundScore } from '../base/numbers.js';
import type { AssessmentRates, Band, DetailName } from './types.js';
import { assess, ratesOfAssessment } from './verdict/assessment.js';
import type { CheckReport } from './report.js';

/** Returns the fields of `details` that `include` names, in the documented order. */
export function presentDetails(
  report: CheckReport,
  include: readonly DetailName[],
  fetchMs: number,
): Details {
  const asked = new Set(include);
  return {
    ...(asked.has('heatmap') && { heatmap: presentHeatmap(report) }),
    ...(asked.has('faces') && { faces: presentFaces(report) }),
    ...(asked.has('credentials') && {
      credentials: presentCredentials(report),
      remote_manifest: report.remoteManifest,
    }),
    ...(asked.has('reasons') && { reasons: report.reasons }),
    ...(asked.has('assessment') && {
      assessment: assess(report),
      assessment_rates: presentRates(ratesOfAssessment(report)),
    }),
    ...(asked.has('timings') && { timings: presentTimings(report, fetchMs) }),
    ...(asked.has('thresholds') && {
      thresholds: {
        drawn: report.drawn,
        full_image_specialist: presentBand(report.bands.fullImage),
        face_specialist: presentBand(report.bands.face),
      },
    }),
    ...(asked.has('warnings') && { warnings: report.warnings }),
    ...(asked.has('marks') && { marks: report.marks }),
  };
}

function presentHeatmap({ patches, part, panels, bands }: CheckReport): NonNullable<Details['heatmap']> {
  return {
    // Rounded with a threshold of 0, because a heat-map cell has none.
    patches: patches.map(({ box, score }) => ({ box, score: roundScore(score, 0) })),
    panels: panels.map(({ box, score }) => ({ box, score: roundScore(score, bands.fullImage.threshold) })),
    peak: part && { box: part.box, score: roundScore(part.score, bands.fullImage.threshold) },
  };
}

function presentFaces({ faces, bands }: CheckReport): NonNullable<Details['faces']> {
  return faces.map(({ box, score, manipulated, generated, confidence }) => ({
    box,
    score: roundScore(score, bands.face.threshold),
    manipulated: roundScore(manipulated, 0),
    generated: roundScore(generated, 0),
    confidence: roundScore(confidence, 0),
  }));
}

function presentCredentials({ credentials }: CheckReport): NonNullable<Details['credentials']> | null {
  if (!credentials.found) return null;
  return {
    state: credentials.state,
    trust_tier: credentials.trustTier,
    signed_at: credentials.signedAt,
    ai_claim: credentials.aiClaim,
    tool: credentials.tool,
    claim_generator: credentials.claimGenerator,
    manifests: credentials.manifests,
    validation_status: credentials.validationCodes,
    digital_source_types: credentials.digitalSourceTypes,
    soft_bindings: credentials.softBindings,
    chain: credentials.chain.map(({ label, signer, claimGenerator, actions, ingredients }) => ({
      label,
      signer,
      claim_generator: claimGenerator,
      actions: actions.map(({ digitalSourceType, ...action }) => ({
        ...action,
        digital_source_type: digitalSourceType,
      })),
      ingredients,
    })),
  };
}

function presentTimings({ timings, views }: CheckReport, fetchMs: number): NonNullable<Details['timings']> {
  return {
    fetch: roundMs(fetchMs),
    queue: roundMs(timings.queue),
    decode: roundMs(timings.decode),
    credentials: roundMs(timings.credentials),
    faces: roundMs(timings.faces),
    inference: roundMs(timings.inference),
    views,
  };
}

/** Returns the measured rates of an assessment in their JSON form. */
function presentRates(rates: AssessmentRates | null): NonNullable<Details['assessment_rates']> | null {
  if (rates === null) return null;
  const { images, sources, ofAi, ofGenuine, at1In10, at1In2 } = rates;
  return { images, sources, of_ai: ofAi, of_genuine: ofGenuine, at_1_in_10: at1In10, at_1_in_2: at1In2 };
}

/** Returns a threshold with its measured rates in their JSON form. */
export function presentBand({ threshold, falseAlarmRate, recall }: Band): PresentedBand {
  return { threshold, false_alarm_rate: falseAlarmRate, recall };
}
