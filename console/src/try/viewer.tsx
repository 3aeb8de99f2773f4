// Shows the image with outlines and the heat map, over the image or next to it, and flagged faces enlarged below it.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { HEAT_SCALE } from '../../../src/library/check/heat-map.js';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import { KeysHelp } from '../components/keys-help.js';
import { useShortcuts } from '../shortcuts.js';
import { Zoomable, ZOOM_KEYS } from '../zoom/zoomable.js';
import { FlaggedFaces } from './flagged-faces.js';
import { cellsOf, drawHeatMap, SCALE_BACKGROUND } from './heat-map.js';
import { showPreview, type Item } from './items.js';
import { countOutlines, findOutlines, Outlines } from './outlines.js';
import { Image, useShown } from './image.js';

const KEYS = {
  h: 'the heat map',
  o: 'the outlines',
  b: 'the original next to the map',
  ...ZOOM_KEYS,
  '?': 'this help',
};

/**
 * Draws an image with its findings. Highlights faces whose score exceeds `faceThreshold`. Calls `onBroken` if the
 * browser can't show the image; default: requests a PNG from the service.
 */
export function Viewer(props: {
  item: Item;
  faceThreshold: number;
  onBroken?: (item: Item) => unknown;
}): JSX.Element {
  const { item, faceThreshold, onBroken = showPreview } = props;
  const layers = useLayers();
  const shown = useShown(item, onBroken);
  const { state } = item;
  const result = state.kind === 'done' ? state.result : null;
  const outlines = result ? findOutlines(result, faceThreshold) : [];
  const original = <Image item={item} shown={shown} />;
  return (
    <figure class="viewer">
      <div class="stage">
        {shown.isMissing ? (
          <p class="blank">{item.source.kind === 'url' ? item.name : 'No preview'}</p>
        ) : (
          <Zoomable
            name={item.name}
            ratio={shown.ratio}
            panes={[
              ...(layers.isSideBySide && result && cellsOf(result).length > 0 ? [original] : []),
              <>
                <Image item={item} shown={shown} />
                {result && layers.hasMap && <HeatMap result={result} opacity={layers.opacity / 100} />}
                {result && layers.hasOutlines && <Outlines outlines={outlines} image={result.image} />}
              </>,
            ]}
          />
        )}
        {state.kind === 'waiting' && <p class="over">Waiting for its turn</p>}
        {state.kind === 'sending' && <Progress part={state.part} name={item.name} />}
      </div>
      {result && item.shownUrl !== null && !shown.isMissing && (
        <FlaggedFaces result={result} threshold={faceThreshold} url={item.shownUrl} />
      )}
      {result && <Tools result={result} layers={layers} foundText={countOutlines(outlines)} />}
    </figure>
  );
}

interface Layers {
  readonly hasMap: boolean;
  readonly hasOutlines: boolean;
  /** True if the unchanged image is shown next to the image with findings. */
  readonly isSideBySide: boolean;
  /** Opacity of the heat map in per cent. */
  readonly opacity: number;
  readonly set: (change: Partial<Omit<Layers, 'set'>>) => void;
}

/** Remembers which findings are shown over the image. */
function useLayers(): Layers {
  const [layers, setLayers] = useState({ hasMap: true, hasOutlines: true, isSideBySide: false, opacity: 70 });
  return { ...layers, set: (change) => setLayers((before) => ({ ...before, ...change })) };
}

function Tools({ result, layers, foundText }: { result: CheckResult; layers: Layers; foundText: string }) {
  const [isHelp, setHelp] = useState(false);
  const { hasMap, hasOutlines, isSideBySide, set } = layers;
  const hasPatches = cellsOf(result).length > 0;
  useShortcuts({
    h: () => set({ hasMap: !hasMap }),
    o: () => set({ hasOutlines: !hasOutlines }),
    b: () => set({ isSideBySide: !isSideBySide }),
    '?': () => setHelp(true),
  });
  return (
    <figcaption class="tools">
      <Switch
        isOn={hasOutlines}
        disabled={foundText === 'nothing'}
        onTurn={(isOn) => set({ hasOutlines: isOn })}
      >
        Outlines: {foundText}
      </Switch>
      {hasPatches && <MapTools layers={layers} />}
      <Legend result={result} />
      <span class="end">
        <span class="quiet">
          {result.image.width} × {result.image.height} px
        </span>
        <button type="button" class="plain" onClick={() => setHelp(true)}>
          Keyboard shortcuts
        </button>
      </span>
      {isHelp && <KeysHelp keys={KEYS} onClose={() => setHelp(false)} />}
    </figcaption>
  );
}

/** Draws the switches of the heat map. */
function MapTools({ layers: { hasMap, isSideBySide, opacity, set } }: { layers: Layers }) {
  return (
    <>
      <Switch isOn={hasMap} onTurn={(isOn) => set({ hasMap: isOn })}>
        Heat map
      </Switch>
      <Switch isOn={isSideBySide} onTurn={(isOn) => set({ isSideBySide: isOn })}>
        Side by side with the original
      </Switch>
      <label class="slider">
        Opacity
        <input
          type="range"
          min="0"
          max="100"
          value={opacity}
          disabled={!hasMap}
          onInput={(event) => set({ opacity: event.currentTarget.valueAsNumber })}
        />
      </label>
    </>
  );
}

function Switch(props: {
  isOn: boolean;
  disabled?: boolean;
  onTurn: (isOn: boolean) => void;
  children: ComponentChildren;
}) {
  const { isOn, disabled = false, onTurn, children } = props;
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={isOn}
        disabled={disabled}
        onChange={(event) => onTurn(event.currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  );
}

/** Draws the scale of the heat map, or says why the image has no heat map. */
function Legend({ result }: { result: CheckResult }) {
  const { fired, details } = result;
  if ((details?.heatmap?.patches ?? []).length === 0) {
    const isDecided = fired.includes('content_credentials');
    return <span class="legend">no heat map{isDecided && ': no detector was run'}</span>;
  }
  if (!fired.includes('full_image_specialist'))
    return <span class="legend">no heat map: the image as a whole is not flagged</span>;
  if (cellsOf(result).length === 0) return <span class="legend">nothing stands out</span>;
  return (
    <span class="legend" title="Scores of the image's regions">
      {HEAT_SCALE.low.toFixed(2)}{' '}
      <i class="ramp" style={{ background: SCALE_BACKGROUND }} aria-hidden="true" />{' '}
      {HEAT_SCALE.high.toFixed(2)}
      <span class="sr">are the ends of the heat map's scale</span>
    </span>
  );
}

function HeatMap({ result, opacity }: { result: CheckResult; opacity: number }) {
  const cells = cellsOf(result);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current) drawHeatMap(canvas.current, cells, result.image);
  }, [result]);
  if (cells.length === 0) return null;
  return <canvas ref={canvas} class="heat" style={{ opacity: String(opacity) }} aria-hidden="true" />;
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
