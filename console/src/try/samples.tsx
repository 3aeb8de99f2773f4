// Offers three sample images to people who have no image ready.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import swapped from '../../../samples/portrait-face-swapped.jpg?url';
import signed from '../../../samples/scene-signed-ai.jpg?url';
import scene from '../../../samples/scene.jpg?url';
import { messageOf } from '../api.js';
import { Fault } from '../components/fault.js';
import { add } from './items.js';

const SAMPLES = [
  { name: 'A photograph', file: 'scene.jpg', address: scene },
  { name: 'A swapped face', file: 'portrait-face-swapped.jpg', address: swapped },
  { name: 'Signed as made by AI', file: 'scene-signed-ai.jpg', address: signed },
];

/** Draws a button for each sample image, which checks it like any other image. */
export function Samples(): JSX.Element {
  const [fault, setFault] = useState('');
  const check = ({ file, address }: (typeof SAMPLES)[number]): void => {
    setFault('');
    fetchFile(file, address).then(
      (sample) => add([{ kind: 'file', file: sample }]),
      (error: unknown) => setFault(messageOf(error)),
    );
  };
  return (
    <section aria-labelledby="samples-title">
      <h2 id="samples-title" class="minor">
        No image at hand? Each sample counts as a check
      </h2>
      <div class="samples">
        {SAMPLES.map((sample) => (
          <button key={sample.file} type="button" onClick={() => check(sample)}>
            <img class="thumb" src={sample.address} alt="" />
            {sample.name}
          </button>
        ))}
      </div>
      <Fault fault={fault} />
    </section>
  );
}

async function fetchFile(name: string, address: string): Promise<File> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the service responded with status ${response.status}`);
  return new File([await response.blob()], name);
}
