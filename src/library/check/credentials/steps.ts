// Types of the steps that the manifests of a file record.

/** Content of one manifest. All texts are shortened. */
export interface ManifestStep {
  readonly label: string;
  readonly signer: string | null;
  /** Program that wrote the manifest. */
  readonly claimGenerator: string | null;
  readonly actions: readonly RecordedAction[];
  readonly ingredients: readonly RecordedIngredient[];
}

/** An action in a manifest, such as `c2pa.created`. */
export interface RecordedAction {
  readonly action: string;
  /** Time as the signer wrote it. */
  readonly when: string | null;
  readonly software: string | null;
  readonly digitalSourceType: string | null;
}

/** An image that an image was made from. */
export interface RecordedIngredient {
  readonly title: string | null;
  /** `parentOf`, `componentOf` or `inputTo`. */
  readonly relationship: string | null;
  /** Label of the ingredient's manifest. */
  readonly manifest: string | null;
}
