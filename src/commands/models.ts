// `telltale models`: what the detectors are, and how well they do on pictures of the user's own.
import { UsageError, type Command } from './command.js';

const HELP = `Usage: telltale models show [--json]
       telltale models eval FOLDER | CSV ... [OPTIONS]

show: the networks, their versions, licences and sizes, and the thresholds.

eval: scores labelled pictures with the shipped networks in the shipped engine
and prints AUC, recall, false alarms, and rows by source and generator.
A FOLDER holds 'real' and 'ai', with a folder for each source or generator
below. A CSV has the columns path and label (real or ai) and, where known,
source, group, kind and content.

  --tiers LIST   clean (as it is), web (768 px, JPEG quality 60),
                 hard (512 px, quality 40); default: all three
  --json FILE    write the report as JSON ('-': print it instead of the tables)
  --scores DIR   write every score as CSV, a file for each detector
  --plots DIR    write ROC curves and histograms as SVG
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
      default:
        throw new UsageError(
          `Expected 'show' or 'eval' but received ${name === undefined ? 'nothing' : `'${name}'`}`,
        );
    }
  },
};
