// The Dockerfile as steps: what `try.mjs` has to do, in Docker's order.

/** Instructions that say something to those who run the image, and nothing to its build. */
const SILENT = new Set(['EXPOSE', 'VOLUME']);

/**
 * Stages with what each is made of, and what the last one starts. Throws an Error at an instruction that it does
 * not know: a step that is left out silently would be tried by nobody.
 */
export function parseDockerfile(text) {
  const stages = [];
  const lines = text.replaceAll(/\\\n/g, ' ').split('\n');
  for (const line of lines.map((each) => each.trim()).filter((each) => each && !each.startsWith('#'))) {
    const [, instruction, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (instruction === 'FROM') {
      const [, base, name = ''] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(rest);
      stages.push({ base, name, steps: [] });
    } else if (READERS[instruction]) stages.at(-1).steps.push({ instruction, ...READERS[instruction](rest) });
    else if (!SILENT.has(instruction)) throw new Error(`unknown instruction: ${line}`);
  }
  return stages;
}

const READERS = {
  WORKDIR: (folder) => ({ folder }),
  USER: (user) => ({ user }),
  RUN: (command) => ({ command }),
  CMD: (rest) => ({ command: JSON.parse(rest) }),
  HEALTHCHECK: (rest) => ({ command: JSON.parse(/\sCMD\s+(\[.*\])$/.exec(rest)[1]) }),
  ENV: (rest) => ({ variables: Object.fromEntries(rest.split(/\s+/).map(readAssignment)) }),
  COPY(rest) {
    const [, stage, paths] = /^(?:--from=(\S+)\s+)?([^-].*)$/.exec(rest);
    const sources = paths.split(/\s+/);
    return { stage, target: sources.pop(), sources };
  },
};

function readAssignment(text) {
  const [, name, value] = /^(\w+)=([^"'\\$]*)$/.exec(text);
  return [name, value];
}
