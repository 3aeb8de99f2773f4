// The picture with every face box and the heat map over it.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Details } from '../../../src/check/present-details.js';
import type { Box } from '../../../src/engine/types.js';
import { describeStrength } from '../../../src/check/verdict/strength.js';
import { formatScore } from '../format.js';
import { drawHeatMap, standsOut } from './heat-map.js';
import { showPreview, type Item } from './items.js';

/** Shows a picture; `faceThreshold` decides which boxes alarm. */
export function Viewer({ item, faceThreshold }: { item: Item; faceThreshold: number }): JSX.Element {
  const [hasMap, setMap] = useState(true);
  const [hasBoxes, setBoxes] = useState(true);
  const [opacity, setOpacity] = useState(70);
  const result = item.state.kind === 'done' ? item.state.result : null;
  const faces = result?.details?.faces ?? [];
  const { patches = [], panels = [], peak = null } = result?.details?.heatmap ?? {};
  const isPartNamed = result?.details?.warnings?.some(({ code }) => code === 'part_generated') ?? false;
  return (
    <figure class="viewer">
      <div class="stage">
        <Picture item={item}>
          {result && patches.length > 0 && hasMap && (
            <HeatMap patches={patches} image={result.image} opacity={opacity / 100} />
          )}
          {result &&
            hasMap &&
            panels.map((panel) => <Panel key={String(panel.box)} {...panel} image={result.image} />)}
          {result && peak && isPartNamed && hasMap && <Part {...peak} image={result.image} />}
          {result && hasBoxes && <Boxes faces={faces} image={result.image} threshold={faceThreshold} />}
        </Picture>
        {item.state.kind === 'waiting' && <p class="over">Waiting for its turn</p>}
        {item.state.kind === 'sending' && <Progress part={item.state.part} name={item.name} />}
      </div>
      {result && (
        <figcaption class="tools">
          <label class="switch">
            <input
              type="checkbox"
              checked={hasBoxes}
              disabled={faces.length === 0}
              onChange={(event) => setBoxes(event.currentTarget.checked)}
            />
            {faces.length === 1 ? '1 face' : `${faces.length} faces`}
          </label>
          <label class="switch">
            <input
              type="checkbox"
              checked={hasMap}
              disabled={patches.length === 0}
              onChange={(event) => setMap(event.currentTarget.checked)}
            />
            Heat map
          </label>
          <label class="slider">
            Opacity
            <input
              type="range"
              min="0"
              max="100"
              value={opacity}
              disabled={patches.length === 0 || !hasMap}
              onInput={(event) => setOpacity(event.currentTarget.valueAsNumber)}
            />
          </label>
          {patches.length > 0 && !standsOut(patches) && <span class="legend">nothing stands out</span>}
          {standsOut(patches) && (
            <span class="legend" title="Score of each part, that it was generated">
              0 <i class="ramp" aria-hidden="true" /> 1
              <span class="sr">
                are the ends of the heat map's scale: the score of each part, that it was generated
              </span>
            </span>
          )}
          <span class="quiet">
            {result.image.width} × {result.image.height} px
          </span>
        </figcaption>
      )}
    </figure>
  );
}

/** The picture itself; one that the browser can't show, or shows in another shape, is drawn by the service. */
function Picture({ item, children }: { item: Item; children: preact.ComponentChildren }) {
  const [ratio, setRatio] = useState<number | null>(null);
  const [isBroken, setBroken] = useState(false);
  const result = item.state.kind === 'done' ? item.state.result : null;
  const shape = result ? result.image.width / result.image.height : ratio;
  useEffect(() => {
    setBroken(false);
    setRatio(null);
  }, [item.id, item.shownUrl]);
  useEffect(() => {
    // Another shape: the browser took no notice of the file's orientation, and boxes would lie wrong.
    if (result && ratio !== null && Math.abs(ratio / (result.image.width / result.image.height) - 1) > 0.05)
      void showPreview(item);
  }, [item, result, ratio]);
  if (item.shownUrl === null || isBroken)
    return <p class="blank">{item.source.kind === 'url' ? item.name : 'No preview'}</p>;
  return (
    <div class="frame" style={shape === null ? {} : { '--ratio': String(shape) }}>
      <img
        src={item.shownUrl}
        alt={item.name}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          setRatio(naturalWidth / naturalHeight)
        }
        onError={() => {
          setBroken(true);
          void showPreview(item);
        }}
      />
      {children}
    </div>
  );
}

function HeatMap(props: { patches: Parameters<typeof drawHeatMap>[1]; image: Size; opacity: number }) {
  const { patches, image, opacity } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current) drawHeatMap(canvas.current, patches, image);
  }, [patches, image]);
  return <canvas ref={canvas} class="heat" style={{ opacity: String(opacity) }} aria-hidden="true" />;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Where a box of the picture lies over it. */
function placeOf([x, y, w, h]: Box, { width, height }: Size) {
  return {
    left: `${(x / width) * 100}%`,
    top: `${(y / height) * 100}%`,
    width: `${(w / width) * 100}%`,
    height: `${(h / height) * 100}%`,
  };
}

/** A picture within the picture. */
function Panel({ box, score, image }: { box: Box; score: number; image: Size }) {
  return (
    <div
      class="within"
      style={placeOf(box, image)}
      title={`a picture in this one, judged by itself: ${formatScore(score)}`}
    />
  );
}

/** The part that a warning names. */
function Part({ box, score, image }: { box: Box; score: number; image: Size }) {
  return (
    <div
      class="part"
      style={placeOf(box, image)}
      title={`this part looks generated: ${formatScore(score)}`}
    />
  );
}

type Faces = NonNullable<Details['faces']>;
type Face = Faces[number];

function Boxes(props: { faces: Faces; image: Size; threshold: number }) {
  const { faces, image, threshold } = props;
  return (
    <ul class="boxes" aria-label="Faces">
      {faces.map(({ box, score, ...parts }) => (
        <li
          key={String(box)}
          class={score >= threshold ? 'alarm' : ''}
          title={describeParts(parts)}
          style={placeOf(box, image)}
        >
          <span>
            <span class="sr">face </span>
            {describeStrength(score, threshold)}
            <span class="sr"> its threshold: {describeParts(parts)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function describeParts({ manipulated, generated }: Pick<Face, 'manipulated' | 'generated'>): string {
  return `swapped or edited ${formatScore(manipulated)}, generated ${formatScore(generated)}`;
}

function Progress({ part, name }: { part: number; name: string }) {
  const isSent = part >= 1;
  return (
    <p class="over">
      {isSent ? 'Checking…' : 'Sending…'}
      <progress aria-label={`Progress of ${name}`} {...(isSent ? {} : { value: part })} />
    </p>
  );
}
