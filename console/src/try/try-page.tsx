// The page Try, on which a person adds images and sees the results.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Me } from '../../../src/service/console/shapes.js';
import type { ProfileName } from '../../../src/library/check/types.js';
import { useStore } from '../store.js';
import { Accepted } from './accepted.js';
import { recalls } from './details.js';
import { ForDevelopers } from './for-developers.js';
import { Intake } from './intake.js';
import { ItemList } from './item-list.js';
import { items, selected, type Item } from './items.js';
import { Past } from './past.js';
import { Samples } from './samples.js';
import { Refusal, Verdict } from './verdict.js';
import { Viewer } from './viewer.js';

export function TryPage({ me }: { me: Me }): JSX.Element {
  const list = useStore(items);
  const chosen = useStore(selected);
  // The profile that the person chose; null shows each result under the profile of its check.
  const [profile, setProfile] = useState<ProfileName | null>(null);
  const item = list.find(({ id }) => id === chosen) ?? list[0];
  const { service } = me;
  recalls.set(() => me.account.keeps_hashes);
  // Scrolls to the verdict, because on a phone it can grow out of view.
  useEffect(
    () => document.querySelector('.verdict')?.scrollIntoView({ block: 'nearest' }),
    [item?.id, item?.state.kind],
  );
  if (!item) return <Empty me={me} />;
  const side = (
    <div class="side">
      <Intake isLarge={false} storeDays={service.store_days} />
      <ItemList />
    </div>
  );
  if (item.source === null)
    return (
      <div class="try">
        <h1 class="sr">Try an image</h1>
        {side}
        <Past item={item} />
      </div>
    );
  const { state } = item;
  const shownProfile = profile ?? (state.kind === 'done' ? state.result.profile : service.profile);
  return (
    <div class="try">
      <h1 class="sr">Try an image</h1>
      {side}
      <div class="middle">
        <Viewer
          key={item.id}
          item={item}
          faceThreshold={service.profiles[shownProfile].face_specialist.threshold}
        />
        <ForDevelopers
          result={state.kind === 'done' ? state.result : null}
          source={item.source}
          profile={shownProfile}
          bands={service.profiles[shownProfile]}
        />
      </div>
      <Outcome item={item} service={service} profile={shownProfile} onProfile={setProfile} />
    </div>
  );
}

/** Draws the page before the first image. */
function Empty({ me }: { me: Me }): JSX.Element {
  return (
    <div class="try empty">
      <h1>Try an image</h1>
      <p class="lead">
        Telltale detects AI-generated, AI-edited and face-swapped images and gives the reason. Images are
        checked unchanged, and only by this service.
      </p>
      <Intake isLarge storeDays={me.service.store_days} />
      <Samples />
      <Accepted />
      {me.account.plan === null && (
        <p class="fault">This account has no plan yet. An operator or its first key sets the plan.</p>
      )}
    </div>
  );
}

/** Draws the result of the image, or the progress of its check. */
function Outcome(props: {
  item: Item;
  service: Me['service'];
  profile: ProfileName;
  onProfile: (profile: ProfileName) => void;
}): JSX.Element {
  const { item, service, profile, onProfile } = props;
  const { state } = item;
  if (state.kind === 'done')
    return (
      <Verdict
        key={item.id}
        item={item}
        result={state.result}
        isReported={state.isReported}
        service={service}
        profile={profile}
        onProfile={onProfile}
      />
    );
  if (state.kind === 'refused') return <Refusal key={item.id} item={item} error={state.error} />;
  return (
    <div class="findings" aria-busy="true">
      <section class="verdict">
        <h2>…</h2>
        <p>{item.name}</p>
        {state.kind === 'held' && <p>The service is busy. The page tries again automatically.</p>}
      </section>
    </div>
  );
}
