// `telltale models`: what the detectors are, how well they do on pictures of the user's own, and how they learn from them.
import { UsageError, type Command } from './command.js';

const HELP = `Usage: telltale models show [--json]
       telltale models eval FOLDER | CSV ... [OPTIONS]
       telltale models calibrate FOLDER | CSV ... --out DIR [OPTIONS]

show: the networks, their versions and licences, and the thresholds.

eval: scores labelled pictures with the shipped engine; prints AUC, recall and
false alarms. A FOLDER has 'real' and 'ai', below each a folder a source. A CSV
has path, label (real or ai) and, if known, source, group, kind, content.
  --tiers LIST   clean (as it is), web (768 px, JPEG quality 60),
                 hard (512 px, quality 40); default: all three
  --json FILE    write the report as JSON ('-': print it instead of the tables)
  --scores DIR   write every score as CSV; --plots DIR: ROC curves, histograms

calibrate: thresholds from your own genuine pictures (300 at least; a folder or
CSV without labels is taken for genuine): DIR/bands.json and calibration.html.
  --aim LIST     percents that may fire, strict to sensitive (default: 0.3,1,5)
  --name NAME    stands in the bands' version (default: own)
  --device D     auto, cpu, cuda, tensorrt (default: auto)

Exit status: 0 all pictures were scored, 1 some were not, 2 wrong usage.`;

/** The subcommand `models`. */
export const modelsCommand: Command = {
  help: HELP,
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
        return (await import('./models/adapt.js')).adaptModels(rest, terminal);
      default:
        throw new UsageError(
          `Expected 'show', 'eval', 'calibrate' or 'adapt' but received ${name === undefined ? 'nothing' : `'${name}'`}`,
        );
    }
  },
};
