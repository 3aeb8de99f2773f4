// The Node peer's check: sharp decodes, onnxruntime-node infers, thresholds decide.
import { cropFace, findFaces } from './faces.js';
import { encode, loadModels, toScore, type Models } from './models.js';
import { decode, type Pixels } from './pixels.js';
import { cutViews } from './views.js';

/** The part of a check's result that peers give. */
export interface PeerResult {
  readonly is_ai: boolean;
  readonly fired: readonly string[];
  readonly face_found: boolean;
  readonly scores: { readonly full_image_specialist: number; readonly face_specialist: number | null };
}

/** Loads the models and gives a function that checks one picture; many may run at once. */
export async function createPeer(): Promise<(bytes: Uint8Array) => Promise<PeerResult>> {
  const models = await loadModels();
  return async (bytes) => {
    const pixels = await decode(bytes);
    const [full, face] = await Promise.all([scorePicture(pixels, models), scoreFaces(pixels, models)]);
    const fired = [
      ...(full >= models.thresholds.full ? ['full_image_specialist'] : []),
      ...(face !== null && face >= models.thresholds.face ? ['face_specialist'] : []),
    ];
    return {
      is_ai: fired.length > 0,
      fired,
      face_found: face !== null,
      scores: { full_image_specialist: full, face_specialist: face },
    };
  };
}

async function scorePicture(pixels: Pixels, models: Models): Promise<number> {
  const { encoder, full } = models.manifests;
  const plan = full.plans.find(({ views }) => views === full.default_views)!;
  const terms = Object.entries(plan.kinds).map(async ([name, { count, weight }]) => {
    const { short_side_px, column } = full.kinds[name]!;
    const views = await cutViews(pixels, short_side_px, count, encoder.input.size_px);
    const logits = await Promise.all(views.map(async (view) => (await encode(models, view))(column)));
    return (weight * logits.reduce((sum, logit) => sum + logit, 0)) / logits.length;
  });
  return toScore((await Promise.all(terms)).reduce((sum, term) => sum + term, plan.bias));
}

/** The highest score of a face; null where there is none. */
async function scoreFaces(pixels: Pixels, models: Models): Promise<number | null> {
  const faces = await findFaces(pixels, models);
  if (faces.length === 0) return null;
  const { size_px, heads } = models.manifests.face;
  const scores = faces.map(async ({ points }) => {
    const crop = new Uint8Array(size_px * size_px * 3);
    await cropFace(pixels, points, models, crop);
    const logit = await encode(models, crop);
    const [manipulated, generated] = [heads.manipulated, heads.generated].map((head) =>
      toScore(logit(head.column), head),
    );
    return 1 - (1 - manipulated!) * (1 - generated!);
  });
  return Math.max(...(await Promise.all(scores)));
}
