// Tests that an invalid models folder prevents the start, and that every error of a manifest is reported.
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadModels } from '../../../../src/library/engine/manifests/manifest.js';
import type { StartError } from '../../../../src/library/base/errors.js';
import {
  copyManifests,
  editManifest,
  isModelFault,
  NETWORK_FILES,
  packagedModels,
  type Manifest,
} from '../../../support/models-folder.js';

/** Parts of the models that these tests read. */
interface ShownModels {
  readonly encoder: { readonly cpuPath: string; readonly tensorrtPath: string; readonly columns: number };
  readonly fullImage: {
    readonly cropTypes: readonly { column: number; shortSidePx: number; decidesDomain: boolean }[];
    readonly drawn: { readonly column: number };
    readonly embeddedImages: { readonly leastPx: number; readonly drawnOdds: number };
    readonly region: {
      readonly type: number;
      readonly side: number;
      readonly scale: readonly number[];
    } | null;
  };
  readonly faceDetector: { readonly longSidePx: number; readonly multiple: number };
  readonly faceSpecialist: Record<'manipulated' | 'generated' | 'confirm', { readonly column: number }> & {
    readonly cropTemplate: readonly unknown[];
  };
}

describe('a manifest (description of a network)', () => {
  let folder = '';
  const edit = (id: string, change: (manifest: Manifest) => void): Promise<void> =>
    editManifest(folder, id, change);
  const load = async (views: number | null = null): Promise<ShownModels> =>
    (await loadModels(folder, views)).models as never;
  const refuses = (fault: RegExp): Promise<void> =>
    assert.rejects(loadModels(folder, null), isModelFault(fault));
  beforeEach(async () => {
    folder = await copyManifests();
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('may omit the TensorRT file, as earlier versions did; TensorRT then uses the CUDA network file', async () => {
    const encoder = async () => (await load()).encoder;
    assert.equal((await encoder()).tensorrtPath, join(folder, 'encoder', 'tensorrt.onnx'));
    await editManifest(folder, 'encoder', ({ files }) => {
      delete files!['tensorrt'];
    });
    assert.equal((await encoder()).tensorrtPath, join(folder, 'encoder', 'gpu.onnx'));
  });

  it('is valid for each network in the package', async () => {
    const { models, name, digest } = await loadModels(packagedModels, null);
    const { encoder, fullImage, faceDetector, faceSpecialist } = models as never as ShownModels;
    assert.equal(encoder.cpuPath, join(packagedModels, 'encoder', 'cpu.onnx'));
    assert.match(name, /^telltale-\d+\.\d+\.\d+$/);
    assert.match(digest, /^[0-9a-f]{64}$/);
    const columns = [
      ...fullImage.cropTypes,
      fullImage.drawn,
      faceSpecialist.manipulated,
      faceSpecialist.generated,
      faceSpecialist.confirm,
    ];
    for (const { column } of columns) assert.ok(column >= 0 && column < encoder.columns);
    assert.equal(faceSpecialist.cropTemplate.length, 5);
    assert.ok(faceDetector.longSidePx % faceDetector.multiple === 0);
  });

  it('contains a crop plan for each possible number of crops; any other number is refused with a list of the possible ones', async () => {
    for (let views = 1; views <= 8; views += 1) {
      assert.equal((await loadModels(folder, views)).views, views);
    }
    await edit('full_image_specialist', (manifest) => {
      manifest['plans'] = [...(manifest['plans'] as never as object[])].slice(0, 2) as never;
      manifest['default_views'] = 2 as never;
      // The stages of early exit would have more crops than this plan.
      delete manifest['early_exit'];
    });
    await assert.rejects(loadModels(folder, 5), {
      code: 'config_invalid',
      message: "Expected one of 1, 2 for 'views' but received 5",
    });
  });

  it('is refused with a list of all its errors', async () => {
    await edit('full_image_specialist', (manifest) => {
      manifest['kinds']!['native']!['column'] = 'nativ' as never;
      manifest['kinds']!['middle']!['short_side_px'] = '320' as never;
      delete manifest['plans']!['1']!['bias'];
      manifest['plans']!['2']!['kinds']!['corner'] = { count: 1, weight: 1 } as never;
      manifest['default_views'] = 0 as never;
    });
    await assert.rejects(loadModels(folder, null), (error: StartError) => {
      const faults = [
        /^The manifest of full_image_specialist is invalid:\n/,
        /Expected one of "native", .* for 'kinds.native.column' but received 'nativ'/,
        /Expected null or a whole number from 224 to 4096 for 'kinds.middle.short_side_px' but received '320'/,
        /Expected a number for 'plans.1.bias' but received nothing/,
        /'plans.2.kinds.corner' is not known here; known are whole, middle, native/,
        /Expected a whole number from 1 to 8 for 'default_views' but received 0/,
      ];
      for (const fault of faults) assert.match(error.message, fault);
      return error.code === 'model_invalid';
    });
  });

  it('must not contain contradicting fields', async () => {
    await edit('full_image_specialist', (manifest) => {
      manifest['plans']!['0']!['views'] = 8 as never;
      manifest['plans'] = [...(manifest['plans'] as never as object[])].slice(0, 2) as never;
      delete manifest['early_exit'];
    });
    await refuses(
      /Expected the sum of the counts for 'plans.0.views' but received 8\n.*for 'default_views' but received 5$/,
    );
  });

  it('must not contain unknown fields, except notes', async () => {
    await edit('full_image_specialist', (manifest) => {
      manifest['panel'] = { least_px: 224 } as never;
      manifest['plans']!['0']!['kinds']!['middle']!['wieght'] = 1 as never;
      manifest['training_data']!['seeds'] = 2 as never;
    });
    await assert.rejects(loadModels(folder, null), (error: StartError) => {
      assert.equal(
        error.message,
        'The manifest of full_image_specialist is invalid:\n' +
          "  'panel' is not known here; did you mean 'panels'? Known are id, version, training_data, " +
          'licence, kinds, drawn, part, panels, plans, default_views, early_exit\n' +
          "  'plans.0.kinds.middle.wieght' is not known here; did you mean 'weight'? Known are count, weight",
      );
      return error.code === 'model_invalid';
    });
    await rm(folder, { recursive: true });
    folder = await copyManifests();
    for (const id of ['encoder', 'face_detector', 'face_specialist']) {
      await edit(id, (manifest) => {
        manifest['licence_of_weights'] = 'MIT' as never;
      });
      await refuses(new RegExp(`of ${id} is invalid:\n  'licence_of_weights' is not known here; known are`));
      await edit(id, (manifest) => {
        delete manifest['licence_of_weights'];
      });
    }
  });

  it('defines which embedded images are scored', async () => {
    const { embeddedImages } = (await load()).fullImage;
    assert.ok(embeddedImages.leastPx >= 224 && Number.isFinite(embeddedImages.drawnOdds));
    await edit('full_image_specialist', (manifest) => {
      manifest['panels'] = { least_px: 223 } as never;
    });
    await assert.rejects(loadModels(folder, null), (error: Error) => {
      assert.match(
        error.message,
        /Expected a whole number from 224 to 4096 for 'panels.least_px' but received 223/,
      );
      assert.match(error.message, /Expected a number for 'panels.drawn_odds' but received nothing/);
      return true;
    });
  });

  it('defines how the suspicious region is scored, if a crop plan includes one', async () => {
    const { region } = (await load()).fullImage;
    assert.ok(region !== null && region.type === 0 && region.side <= 14);
    assert.ok(region.scale.every((scale) => scale > 0));
    // The plan of two crops has no crop of the whole image, in which the region is searched.
    assert.equal((await load(2)).fullImage.region, null);
    await edit('full_image_specialist', (manifest) => {
      manifest['part'] = { kind: 'corner', side: 15, photographed: { scale: 1, offset: '-4' } } as never;
    });
    await assert.rejects(loadModels(folder, null), (error: StartError) => {
      const faults = [
        /Expected one of "whole", "middle", "native" for 'part.kind' but received 'corner'/,
        /Expected a whole number from 1 to 14 for 'part.side' but received 15/,
        /Expected a number for 'part.photographed.offset' but received '-4'/,
        /Expected an object with scale, offset for 'part.drawn' but received nothing/,
      ];
      for (const fault of faults) assert.match(error.message, fault);
      return error.code === 'model_invalid';
    });
  });

  it('defines which output column and which crops tell drawings from photographs', async () => {
    const { fullImage, encoder } = await load();
    assert.equal(fullImage.drawn.column, encoder.columns - 1);
    assert.deepEqual(
      fullImage.cropTypes.map(({ shortSidePx, decidesDomain }) => [shortSidePx, decidesDomain]),
      [
        [224, true],
        [320, true],
        [0, false],
      ],
    );
    await edit('full_image_specialist', (manifest) => {
      manifest['drawn'] = { column: 'drawing', kinds: ['whole', 'corner'], scale: 'one' } as never;
    });
    await assert.rejects(loadModels(folder, null), (error: StartError) => {
      const faults = [
        /Expected one of "native", .* for 'drawn.column' but received 'drawing'/,
        /Expected a number for 'drawn.scale' but received 'one'/,
        /Expected a number for 'drawn.offset' but received nothing/,
        /Expected one of "whole", "middle", "native" for 'drawn.kinds.1' but received 'corner'/,
      ];
      for (const fault of faults) assert.match(error.message, fault);
      return error.code === 'model_invalid';
    });
    await edit('full_image_specialist', (manifest) => {
      manifest['drawn'] = { column: 'drawn', kinds: ['whole'], scale: 1, offset: 0 } as never;
    });
    await refuses(/Expected views of one of drawn.kinds for 'plans.1.kinds' but received an object/);
    await edit('full_image_specialist', (manifest) => {
      delete manifest['drawn'];
    });
    await refuses(/an object with column, scale, offset, kinds for 'drawn' but received nothing/);
  });

  it('must have the same version as the other manifests', async () => {
    await edit('face_specialist', (manifest) => {
      manifest['version'] = '1.0.0' as never;
    });
    await refuses(
      /^The manifest of face_specialist is invalid:\n.*Expected "\d.*" for 'version' but received '1\.0\.0'/,
    );
    await edit('encoder', (manifest) => {
      delete manifest['version'];
    });
    await refuses(/encoder is invalid:\n.*a version such as 2\.1\.0 for 'version' but received nothing/);
  });

  it('must name the network output from which the heat map is made', async () => {
    await edit('encoder', (manifest) => {
      delete manifest['outputs']!['tokens'];
    });
    await refuses(/encoder is invalid:\n.*a text for 'outputs.tokens' but received nothing/);
  });

  it('must name existing output columns of the encoder', async () => {
    await edit('encoder', (manifest) => {
      manifest['outputs']!['columns'] = ['native', 'middle', 'whole', 'generated', 'drawn'] as never;
    });
    await refuses(/for 'heads.manipulated.column' but received 'manipulated'/);
  });

  it('must name an existing encoder column and a numeric logit for confirming faces', async () => {
    await edit('face_specialist', (manifest) => {
      manifest['confirm'] = { column: 'nose', least_logit: 'low' } as never;
    });
    await refuses(/for 'confirm.column' but received 'nose'[^]*a number for 'confirm.least_logit'/);
  });

  it('must state valid numbers for combining the scores of several faces', async () => {
    await edit('face_specialist', (manifest) => {
      manifest['joining'] = { sharing: 1.5, contrast: 0.6 } as never;
    });
    await refuses(/for 'joining.genuine' but received nothing[^]*for 'joining.sharing' but received 1.5/);
  });

  it('must name a face template of five points', async () => {
    await edit('face_specialist', (manifest) => {
      manifest['crop']!['template'] = [[0.1, 0.2]] as never;
    });
    await refuses(/five points .* for 'crop.template' but received an array/);
  });

  it('must not refer to files outside its folder', async () => {
    await edit('face_detector', (manifest) => {
      manifest['file'] = '../face_specialist/model.onnx' as never;
    });
    await refuses(/in the same folder for 'file'/);
  });

  it('is refused if a network file differs from the recorded hash', async () => {
    for (const file of NETWORK_FILES) {
      const path = join(folder, file);
      const [id, name] = file.split('/');
      await rm(path);
      await refuses(new RegExp(`^The file ${name} of ${id} can't be read: ENOENT: .*$`));
      await writeFile(path, file.slice(1));
      await refuses(
        new RegExp(
          `^The file ${name} of ${id} does not match its manifest: its SHA-256 is .{64} instead of .{64}$`,
        ),
      );
      await writeFile(path, file);
    }
  });

  it('is refused if it is missing or not JSON', async () => {
    await writeFile(join(folder, 'face_detector', 'manifest.json'), '{ "id": ');
    await refuses(/^The manifest of face_detector can't be read: /);
    await rm(join(folder, 'face_detector'), { recursive: true });
    await refuses(/^The manifest of face_detector can't be read: ENOENT/);
  });
});
