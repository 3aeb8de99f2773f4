// `telltale models`: what the detectors are, how well they do on pictures of the user's own, and thresholds from them.
import { UsageError, type Command } from './command.js';

const HELP = `Usage: telltale models show [--json]
       telltale models eval FOLDER | CSV ... [OPTIONS]
       telltale models calibrate FOLDER | CSV ... --out DIR [OPTIONS]

show: the networks, their versions and licences, and the thresholds.
eval: scores labelled pictures and prints AUC, recall, false alarms. A FOLDER
has 'real' and 'ai', below each a folder a source; a CSV path, label (real or
ai) and, if known, source, group, kind, content.
  --tiers LIST   clean (as it is), web (768 px, quality 60), hard (512 px, 40)
  --json FILE    write the report as JSON ('-': print it instead of the tables)
  --scores DIR   write every score as CSV; --plots DIR: ROC curves, histograms
calibrate: thresholds from your own genuine pictures, 300 at least (unlabelled
ones are taken for genuine; 'feedback export' writes such a FOLDER): writes
DIR/bands.json and calibration.html.
  --aim LIST     percents that may fire, strict to sensitive (default: 0.3,1,5)
  --name NAME    stands in the version (default: own)
  --device D     auto, cpu, cuda, tensorrt (default: auto); both

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
        await terminal.err.writeLine(
          "telltale: there is no 'models adapt' any more: 'telltale models calibrate' sets thresholds from your own genuine pictures",
        );
        return 2;
      default:
        throw new UsageError(
          `Expected 'show', 'eval' or 'calibrate' but received ${name === undefined ? 'nothing' : `'${name}'`}`,
        );
    }
  },
};
