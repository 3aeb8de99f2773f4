// The page that verifies a record (signed evidence about a check), optionally with its image.
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Verification } from '../../../src/service/console/shapes.js';
import { verifyRecord } from '../api.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { PageHead } from '../components/page-head.js';
import { useRequested } from '../load.js';

const ABOUT = {
  signature: 'Signature',
  page: 'Page',
  picture: 'Image',
  scores: 'Scores',
  verdict: 'Verdict',
} as const satisfies Record<Verification['findings'][number]['about'], string>;

interface Files {
  readonly record: File | null;
  readonly picture: File | null;
}

export function VerifyPage(): JSX.Element {
  const [files, setFiles] = useState<Files>({ record: null, picture: null });
  const { data: verification, fault, isBusy, expect } = useRequested<Verification>();
  const change = (changes: Partial<Files>): void => {
    setFiles((before) => ({ ...before, ...changes }));
    // Removes the old result, because it belongs to the old files.
    expect(null);
  };
  useDropped((dropped) => {
    for (const file of dropped) change(isRecord(file) ? { record: file } : { picture: file });
  });
  const { record, picture } = files;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (record !== null) expect(verifyRecord(record, picture));
  };
  return (
    <>
      <PageHead
        title="Verify a record"
        introduction="Verifies that a record is unchanged since this installation signed it, and that an image is the recorded one."
      />
      <form class="card" onSubmit={submit}>
        <Drops files={files} onChoose={change} />
        <p class="quiet small">
          If the image is the recorded one and the model is the same, the check is repeated. This counts as a
          check.
        </p>
        <Fault fault={fault} />
        <div class="actions">
          <button type="submit" class="primary" disabled={record === null || isBusy}>
            Verify
          </button>
        </div>
      </form>
      <section class={verification ? 'card flush' : ''} aria-live="polite" aria-busy={isBusy}>
        {verification && <Findings verification={verification} />}
      </section>
    </>
  );
}

function Drops(props: { files: Files; onChoose: (changes: Partial<Files>) => void }) {
  const {
    files: { record, picture },
    onChoose,
  } = props;
  return (
    <div class="cards">
      <Drop
        title="Record"
        hint="the .html or .json file; drop or choose it"
        accept=".html,.json"
        file={record}
        onChoose={(file) => onChoose({ record: file })}
      />
      <Drop
        title="Its image"
        hint="the original file, if you have it"
        accept="image/*"
        file={picture}
        onChoose={(file) => onChoose({ picture: file })}
      />
    </div>
  );
}

function Findings({ verification }: { verification: Verification }) {
  return (
    <>
      <h2 class="inside">{verification.holds ? 'Nothing was found wrong' : 'It does not hold'}</h2>
      <DataTable name="What holds" heads={['What', 'Holds', 'Why']}>
        {verification.findings.map(({ about, holds, text }) => (
          <tr key={about}>
            <th scope="row">{ABOUT[about]}</th>
            <td class="nowrap">
              <span class={`word ${holds === null ? '' : holds ? 'none' : 'ai'}`}>
                {holds === null ? 'not checked' : holds ? 'holds' : 'does not hold'}
              </span>
            </td>
            <td>{text}</td>
          </tr>
        ))}
      </DataTable>
    </>
  );
}

function Drop(props: {
  title: string;
  hint: string;
  accept: string;
  file: File | null;
  onChoose: (file: File | null) => void;
}) {
  const { title, hint, accept, file, onChoose } = props;
  return (
    <label class="drop">
      <input
        class="sr"
        type="file"
        accept={accept}
        onChange={(event) => onChoose(event.currentTarget.files?.[0] ?? null)}
      />
      <strong>{title}</strong>
      <span class="quiet">{file?.name ?? hint}</span>
    </label>
  );
}

/** Returns whether a file is a record, by its name or type. */
function isRecord({ name, type }: File): boolean {
  return /\.(html?|json)$/i.test(name) || /^(text\/html|application\/json)/.test(type);
}

/** Calls `onDrop` with files that a person drops anywhere on the page. */
function useDropped(onDrop: (files: readonly File[]) => void): void {
  const latest = useRef(onDrop);
  latest.current = onDrop;
  // A layout effect, so that files dropped right after the page appears are not lost.
  useLayoutEffect(() => {
    const over = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('drop', drop);
    };
  }, []);
}
