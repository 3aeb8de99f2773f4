// The form that starts a scan of pasted addresses, a list file or a folder.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Me } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { Fault } from '../components/fault.js';
import { formatCount } from '../format.js';
import { goTo } from '../location.js';
import { PROFILES, PROFILE_HINTS } from '../try/classify.js';
import { sendFolder } from './sending.js';

const SOURCE_KINDS = { addresses: 'Addresses', list: 'A list', folder: 'A folder' } as const;
type SourceKind = keyof typeof SOURCE_KINDS;

/** Matches names of image files. Other files of a folder are ignored. */
const IMAGE = /\.(jpe?g|png|webp|avif|gif|bmp|tiff?)$/i;

/** Draws the form. `limits` are the limits of the account's plan. */
export function NewScan(props: { limits: NonNullable<Me['scans']>; service: Me['service'] }): JSX.Element {
  const { limits, service } = props;
  const [sourceKind, setSourceKind] = useState<SourceKind>('addresses');
  const [fault, setFault] = useState('');
  const [isBusy, setBusy] = useState(false);
  if (limits.items === 0)
    return (
      <section class="card">
        <p>The plan of this account does not include scans. They need a larger plan.</p>
      </section>
    );
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    setFault('');
    setBusy(true);
    begin(sourceKind, fields, limits.items, service.history_names)
      .then((id) => goTo(`/scans/${id}`))
      .catch((error: unknown) => setFault(messageOf(error)))
      .finally(() => setBusy(false));
  };
  return (
    <section class="card" aria-labelledby="new-scan">
      <h2 id="new-scan">Begin a scan</h2>
      <form class="new-scan" onSubmit={submit}>
        <SourceKinds sourceKind={sourceKind} onWay={setSourceKind} />
        <Source sourceKind={sourceKind} />
        <label class="field">
          Profile
          <select name="profile">
            {PROFILES.map((name) => (
              <option key={name} value={name} selected={name === service.profile}>
                {name}, {PROFILE_HINTS[name]}
              </option>
            ))}
          </select>
        </label>
        <p class="quiet small">
          Up to {formatCount(limits.items)} images a scan, {formatCount(limits.at_once)} at once, on the plan
          of this account.
        </p>
        <Fault fault={fault} />
        <div class="actions">
          <button type="submit" class="primary" disabled={isBusy}>
            {isBusy ? 'Sending the list…' : 'Begin the scan'}
          </button>
        </div>
      </form>
    </section>
  );
}

function SourceKinds({
  sourceKind,
  onWay,
}: {
  sourceKind: SourceKind;
  onWay: (sourceKind: SourceKind) => void;
}) {
  return (
    <fieldset class="profiles">
      <legend class="sr">Images from</legend>
      {(Object.keys(SOURCE_KINDS) as SourceKind[]).map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="way"
            value={name}
            checked={name === sourceKind}
            onChange={() => onWay(name)}
          />
          <span>{SOURCE_KINDS[name]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Source({ sourceKind }: { sourceKind: SourceKind }) {
  if (sourceKind === 'addresses')
    return (
      <label class="field">
        Addresses <span class="quiet">one per line, public, http or https</span>
        <textarea name="addresses" rows={5} required placeholder="https://…" />
      </label>
    );
  if (sourceKind === 'list')
    return (
      <label class="field">
        List <span class="quiet">CSV with a column url (and ref), or JSON lines with url (and ref)</span>
        <input
          name="list"
          type="file"
          required
          accept=".csv,.txt,.json,.jsonl,.ndjson,text/*,application/json"
        />
      </label>
    );
  return (
    <label class="field">
      Folder{' '}
      <span class="quiet">
        its images and those of folders within; each is sent when its turn comes and none is kept, so this
        page has to stay open
      </span>
      {/* Not in TypeScript's types, because every browser supports this property but no standard defines it. */}
      <input name="folder" type="file" required multiple {...{ webkitdirectory: true }} />
    </label>
  );
}

/** Starts the scan and returns its identifier. Rejects with an Error. */
async function begin(
  sourceKind: SourceKind,
  fields: FormData,
  maxImages: number,
  keepsNames: boolean,
): Promise<string> {
  const form = new FormData();
  form.append('profile', fields.get('profile') ?? '');
  // Requests the details from which the labels of the results are made.
  form.append('include', 'marks,warnings');
  const send = async (path: string, name: string, list: Blob): Promise<string> => {
    form.append('file', list, 'list');
    const query = name === '' ? '' : `?${new URLSearchParams({ name }).toString()}`;
    return (await call<{ id: string }>('POST', `${path}${query}`, form)).id;
  };
  if (sourceKind === 'list') {
    const list = fields.get('list') as File;
    return send('/scans', list.name, list);
  }
  if (sourceKind === 'addresses') {
    const text = fields.get('addresses') as string;
    const urls = text.split(/\s+/).filter((url) => url !== '');
    return send('/scans', '', new Blob(urls.map((url) => `${JSON.stringify({ url })}\n`)));
  }
  const files = (fields.getAll('folder') as File[])
    .filter(({ name }) => IMAGE.test(name))
    .sort((one, other) => one.webkitRelativePath.localeCompare(other.webkitRelativePath));
  if (files.length === 0) throw new Error('This folder contains no image');
  if (files.length > maxImages)
    throw new Error(
      `the folder has ${formatCount(files.length)} images; the plan allows ${formatCount(maxImages)} a scan`,
    );
  const refs = files.map((file, at) =>
    keepsNames ? file.webkitRelativePath.slice(-1000) : `file ${at + 1}`,
  );
  const folder = files[0]?.webkitRelativePath.split('/')[0] ?? '';
  const id = await send('/scans/folder', folder, new Blob(refs.map((ref) => `${JSON.stringify({ ref })}\n`)));
  sendFolder(id, files);
  return id;
}
