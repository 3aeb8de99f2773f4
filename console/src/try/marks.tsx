// Shows marks: metadata, visible signs and open watermarks. Anybody can add them to an image, so they are shown
// separately from the verdict.
import type { JSX } from 'preact';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import type { Mark } from '../../../src/library/check/types.js';
import type { MarkKind } from '../../../src/library/check/marks/kinds.js';

const KIND_NAMES: Readonly<Record<MarkKind, string>> = {
  visible: 'Visible sign',
  watermark: 'Open watermark',
  generation_parameters: 'Generation parameters',
  job_id: 'Job identifier',
  software: 'Software',
  digital_source_type: 'Digital source type',
  credit: 'Credit',
  edit_history: 'Edit history',
  ai_system: 'AI system',
  aigc_label: 'AIGC label',
  editor: 'Editor',
  camera: 'Camera',
  maker: "Maker's service",
};

/** Draws the marks of a result. Draws nothing for a result without marks. */
export function Marks({ result }: { result: CheckResult }): JSX.Element | null {
  const marks = result.details?.marks ?? [];
  if (marks.length === 0) return null;
  return (
    <section aria-labelledby="marks-title">
      <h3 id="marks-title">Marks in the file and the image</h3>
      <p class="quiet">Unsigned, so it does not count, because anybody can write, draw or copy it.</p>
      <dl class="facts">
        {marks.map((mark, index) => [
          <dt key={`kind ${index}`}>{KIND_NAMES[mark.kind]}</dt>,
          <dd key={`value ${index}`}>
            {explainMark(mark)}
            <span class="quiet small own-line">
              <code>{mark.where}</code> {mark.value}
            </span>
          </dd>,
        ])}
      </dl>
    </section>
  );
}

function explainMark({ kind, generator, says }: Mark): string {
  if (says === 'camera') return generator === null ? 'a camera took it' : `taken with ${generator}`;
  if (says === 'possibly_generated')
    return `AI may have made it${generator === null ? '' : ` (${generator})`}`;
  const ai = kind === 'editor' ? '' : 'AI, ';
  return `${ai}${says}${generator === null ? '' : ` with ${generator}`}`;
}
