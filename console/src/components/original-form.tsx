// The form with which a person sends the original. A chosen file is shown first and can be removed.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { sendOriginal, type Link } from '../appeal-link.js';
import { messageOf } from '../api.js';
import { textOf } from '../fields.js';
import { formatMoment } from '../format.js';
import { Fault } from './fault.js';

const MEGABYTE = 1_000_000;

export function OriginalForm(props: {
  link: Link;
  /** Number of originals that can still be sent. */
  attempts: number;
  /** RFC 3339. */
  deadline: string;
  isFirst: boolean;
  onSent: () => Promise<void>;
}): JSX.Element {
  const { link, attempts, deadline, isFirst, onSent } = props;
  const { input, file, setFile, fault, sending, clear, send } = useOriginal(link, onSent);
  return (
    <form class="card" onSubmit={send}>
      <h2>{isFirst ? 'Send the original' : 'Send another file'}</h2>
      <p>
        Send the file as the camera or program wrote it, with its metadata and signature. A small copy is
        stored with the appeal.
      </p>
      <p class="quiet">
        Until {formatMoment(deadline)}, {attempts === 1 ? 'one attempt' : `${attempts} attempts`} left. Only a
        file that was compared uses one.
      </p>
      <label class="field">
        Image
        <input
          ref={input}
          type="file"
          name="file"
          accept="image/*"
          required
          disabled={sending !== null}
          onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
        />
      </label>
      {file && <Chosen key={`${file.name}${file.lastModified}`} file={file} />}
      <label class="field">
        Your explanation <span class="quiet">optional</span>
        <textarea name="remark" maxLength={1000} rows={4} />
      </label>
      <Fault fault={fault} />
      <div class="actions">
        {file && (
          <button type="button" class="plain" onClick={sending ? () => sending.abort() : clear}>
            {sending ? 'Stop' : 'Take the file back'}
          </button>
        )}
        <button type="submit" class="primary" disabled={sending !== null}>
          {sending ? 'Comparing…' : 'Compare and appeal'}
        </button>
      </div>
    </form>
  );
}

/** Returns the chosen file, and functions that remove and send it. */
function useOriginal(link: Link, onSent: () => Promise<void>) {
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File | null>(null);
  const [fault, setFault] = useState('');
  const [sending, setSending] = useState<AbortController | null>(null);
  const clear = (): void => {
    setFile(null);
    if (input.current) input.current.value = '';
  };
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    if (!file) return;
    const stopping = new AbortController();
    setFault('');
    setSending(stopping);
    sendOriginal(link, { file, remark: textOf(new FormData(form), 'remark').trim() }, stopping.signal)
      .then(onSent)
      .then(() => {
        form.reset();
        clear();
      })
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) setFault(messageOf(error));
        // The comparison may have ended before the upload was stopped.
        else void onSent();
      })
      .finally(() => setSending(null));
  };
  return { input, file, setFile, fault, sending, clear, send };
}

/** Draws the chosen file, which is not sent yet. Browsers can't show every format. */
function Chosen({ file }: { file: File }): JSX.Element {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return (
    <figure class="chosen">
      {address !== null && <img src={address} alt="" onError={() => setAddress(null)} />}
      <figcaption>
        {file.name} <span class="quiet">{(file.size / MEGABYTE).toFixed(1)} MB, not sent yet</span>
      </figcaption>
    </figure>
  );
}
