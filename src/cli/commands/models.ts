// `telltale models`: showing the detectors, measuring them on own images, and computing own thresholds.
import { LEAST_GENUINE } from '../../calibration/thresholds/own-thresholds.js';
import { refuseAction, type Command } from './command.js';

const HELP = `Usage: telltale models show [--json]
       telltale models eval FOLDER | CSV ... [OPTIONS]
       telltale models calibrate FOLDER | CSV ... --out DIR [OPTIONS]

show        prints the networks, their versions and licences, and the thresholds
eval        measures the detectors on labelled images of yours; changes nothing
calibrate   fits thresholds to genuine images of yours, and writes them

'telltale models eval --help' and 'telltale models calibrate --help' explain
both.`;

const DEVICE = '  --device D     auto, cpu, cuda, tensorrt (default: auto)';
const STATUS = 'Exit status: 0 all images were scored, 1 some were not, 2 wrong usage.';

const EVAL_HELP = `Usage: telltale models eval FOLDER | CSV ... [OPTIONS]

Measures the detectors, and the verdict of both, on labelled images: AUC, recall
and false positive rates with 95% intervals. Thresholds stay as they are.
A FOLDER has 'real' and 'ai', and below each a folder per source; a CSV has the
columns path, label (real or ai) and, if known, source, group, kind, content.
Recall at 1% FPR takes 100 genuine images or more.

  --levels LIST  none (as they are), web (768 px, quality 60), heavy (512 px,
                 quality 40); default: all three
  --json FILE    write the report as JSON ('-': print it instead of the tables)
  --scores DIR   write every score as CSV
  --plots DIR    write ROC curves and histograms as SVG
${DEVICE}

${STATUS}`;

const CALIBRATE_HELP = `Usage: telltale models calibrate FOLDER | CSV ... --out DIR [OPTIONS]

Fits thresholds to your own genuine images, ${LEAST_GENUINE} at least, so that no more
of them fire than you say. Without labels a FOLDER or CSV is genuine; with
labels it is as for 'models eval', and what 'feedback export' wrote is one.
Writes DIR/bands.json, which TELLTALE_BANDS serves, and DIR/calibration.html,
which shows the images that fire.

  --aim LIST     percents that may fire, strict to sensitive (default: 0.3,1,5);
                 0.3 takes 334 images of each kind, 1 takes 100
  --name NAME    stands in the version of the thresholds (default: own)
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
