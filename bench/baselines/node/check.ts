// The check of the Node baseline, a simple program with which Telltale is compared. sharp decodes and scales,
// onnxruntime-node runs the networks, and thresholds decide.
import { cropFace, findFaces, type Face } from './faces.js';
import { encode, loadModels, imageThreshold, toScore, type Models } from './models.js';
import { decode, type Pixels } from './pixels.js';
import { cutCrops } from './crops.js';

const MAX_SCORED = 8;

/** Fields of a check result that the baselines return. */
export interface BaselineResult {
  readonly is_ai: boolean;
  readonly fired: readonly string[];
  readonly face_found: boolean;
  readonly scores: { readonly full_image_specialist: number; readonly face_specialist: number | null };
}

/** Loads the models and returns a function that checks one image. Several checks may run concurrently. */
export async function createBaseline(): Promise<(bytes: Uint8Array) => Promise<BaselineResult>> {
  const models = await loadModels();
  return async (bytes) => {
    const pixels = await decode(bytes);
    const [image, face] = await Promise.all([scoreImage(pixels, models), scoreFaces(pixels, models)]);
    const fired = [
      ...(image.score >= imageThreshold(models, image.drawn) ? ['full_image_specialist'] : []),
      ...(face !== null && face >= models.thresholds.face ? ['face_specialist'] : []),
    ];
    return {
      is_ai: fired.length > 0,
      fired,
      face_found: face !== null,
      scores: { full_image_specialist: image.score, face_specialist: face },
    };
  };
}

/** Returns the full image's score and the probability that the image is drawn. */
async function scoreImage(pixels: Pixels, models: Models): Promise<{ score: number; drawn: number }> {
  const { encoder, full } = models.manifests;
  const plan = full.plans.find(({ views }) => views === full.default_views)!;
  const mean = (logits: number[]): number => logits.reduce((sum, logit) => sum + logit, 0) / logits.length;
  const judged = Object.entries(plan.kinds).map(async ([name, { count, weight }]) => {
    const { short_side_px, column } = full.kinds[name]!;
    const views = await cutCrops(pixels, short_side_px, count, encoder.input.size_px);
    const logits = await Promise.all(views.map((view) => encode(models, view)));
    const telling = full.drawn.kinds.includes(name) ? logits.map((logit) => logit(full.drawn.column)) : [];
    return { term: weight * mean(logits.map((logit) => logit(column))), telling };
  });
  const kinds = await Promise.all(judged);
  const { scale, offset } = full.drawn;
  return {
    score: toScore(kinds.reduce((sum, { term }) => sum + term, plan.bias)),
    drawn: toScore(scale * mean(kinds.flatMap(({ telling }) => telling)) + offset),
  };
}

/** Returns the highest score of all faces. Returns null if no face was found or the encoder rejected all of them. */
async function scoreFaces(pixels: Pixels, models: Models): Promise<number | null> {
  const finds = await findFaces(pixels, models);
  const { heads, confirm } = models.manifests.face;
  const judge = async ({ points }: Face): Promise<number[] | null> => {
    const logit = await encode(models, await cropFace(pixels, points, models));
    if (logit(confirm.column) < confirm.least_logit) return null;
    return [heads.manipulated, heads.generated].map(
      ({ column, scale, offset }) => scale * logit(column) + offset,
    );
  };
  const confirmed: number[][] = [];
  // The encoder rejects some detected faces. Takes further ones until enough faces are confirmed.
  while (finds.length > 0 && confirmed.length < MAX_SCORED) {
    const judged = await Promise.all(finds.splice(0, MAX_SCORED - confirmed.length).map(judge));
    confirmed.push(...judged.filter((odds) => odds !== null));
  }
  if (confirmed.length === 0) return null;
  // Takes the more likely of two cases: only this face is fake, or all faces are.
  const means = [0, 1].map(
    (head) => confirmed.reduce((sum, odds) => sum + odds[head]!, 0) / confirmed.length,
  );
  const toProbability = (odds: number, head: number): number =>
    toScore(Math.max(odds - Math.log(confirmed.length), means[head]!));
  return Math.max(
    ...confirmed.map((odds) => 1 - odds.map(toProbability).reduce((rest, fake) => rest * (1 - fake), 1)),
  );
}
