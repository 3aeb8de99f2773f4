// `telltale models`: showing the detectors, measuring them on own images, and computing own thresholds.
import { MIN_GENUINE_IMAGES } from '../../calibration/thresholds/own-thresholds.js';
import { refuseAction, type Command } from './command.js';

const HELP = `Usage: telltale models show [--json]
       telltale models eval FOLDER | CSV ... [OPTIONS]
       telltale models calibrate FOLDER | CSV ... --out DIR [OPTIONS]

show        prints the networks, their versions and licences, and the thresholds
eval        measures the detectors on your labelled images; changes nothing
calibrate   fits thresholds to your genuine images and writes them to a file

See also 'telltale models eval --help' and 'telltale models calibrate --help'.`;

const DEVICE = '  --device D     auto, cpu, cuda, tensorrt (default: auto)';
const STATUS = 'Exit status: 0 all images were scored, 1 some were not, 2 wrong usage.';

const EVAL_HELP = `Usage: telltale models eval FOLDER | CSV ... [OPTIONS]

Measures the detectors and the combined verdict on labelled images: AUC, recall
and false-positive rates (FPR) with 95% intervals. Thresholds are not changed.
A FOLDER contains 'real' and 'ai', each with one folder per source. A CSV has
the columns path (relative to the CSV) and label (real or ai), and optionally
source, group, kind and content. Recall at 1% FPR needs 100 genuine images.

  --levels LIST  none (unchanged), web (768 px, quality 60), heavy (512 px,
                 quality 40); default: all three
  --json FILE    write the report as JSON; '-' prints it instead of the tables
  --scores DIR   write every score as CSV
  --plots DIR    write ROC curves and histograms as SVG
${DEVICE}

${STATUS}`;

const CALIBRATE_HELP = `Usage: telltale models calibrate FOLDER | CSV ... --out DIR [OPTIONS]

Fits thresholds to at least ${MIN_GENUINE_IMAGES} of your own genuine images, so that a chosen
percentage of them is flagged. Images without labels count as genuine. Labelled
folders and CSV files have the form of 'models eval'; the output of 'feedback
export' also works. Writes DIR/bands.json for TELLTALE_BANDS, and
DIR/calibration.html with the flagged images.

  --aim LIST     percentage of flagged genuine images for strict, balanced and
                 sensitive (default: 0.3,1,5); 0.3 needs 334 images of each kind
                 of image, 1 needs 100
  --name NAME    name in the version of the thresholds (default: own)
${DEVICE}

${STATUS}`;

export const modelsCommand: Command = {
  help: HELP,
  helps: { eval: EVAL_HELP, calibrate: CALIBRATE_HELP },
  async run(args, terminal) {
    const [name, ...rest] = args;
    switch (name) {
      case 'show':
        return (await import('./models/show.js')).showModels(rest, terminal);
      case 'eval':
        return (await import('./models/eval.js')).evaluateModels(rest, terminal);
      case 'calibrate':
        return (await import('./models/calibrate.js')).calibrateModels(rest, terminal);
      case 'adapt':
        await terminal.err.writeLine(
          "telltale: there is no 'models adapt' any more: 'telltale models calibrate' sets thresholds from your own genuine images",
        );
        return 2;
      default:
        return refuseAction(name, "'show', 'eval' or 'calibrate'");
    }
  },
};
