// The part of c2pa-node's manifest store JSON that the check reads, in TypeScript's words.

/** One validation status. Source: C2PA specification, section 'Validation', status codes. */
export interface ValidationStatus {
  readonly code: string;
  /** JUMBF address of what was validated. */
  readonly url?: string;
}

/** Statuses by outcome. */
export interface StatusCodes {
  readonly success?: readonly ValidationStatus[];
  readonly informational?: readonly ValidationStatus[];
  readonly failure?: readonly ValidationStatus[];
}

/** Statuses about an ingredient's manifest that its ingredient assertion did not already record. */
interface IngredientDelta {
  readonly ingredientAssertionURI: string;
  readonly validationDeltas: StatusCodes;
}

/** Statuses of a manifest and of the ingredients below it. */
export interface ValidationResults {
  readonly activeManifest?: StatusCodes;
  readonly ingredientDeltas?: readonly IngredientDelta[];
}

/** How an ingredient came into the image; C2PA knows `parentOf`, `componentOf` and `inputTo`. */
type IngredientRelationship = 'parentOf' | 'componentOf' | 'inputTo';

/** An image that went into this one. */
export interface Ingredient {
  /** Label of the ingredient assertion within its manifest, `__n` included. */
  readonly label?: string;
  readonly relationship?: IngredientRelationship;
  /** What the signer says of the ingredient's source (C2PA 2.4). */
  readonly digital_source_type?: string;
  /** Label of the ingredient's own manifest in the store, if it had one. */
  readonly active_manifest?: string;
  /** What the signer found when it took the ingredient in (C2PA 2.x). */
  readonly validation_results?: ValidationResults;
  /** The same in C2PA 1.x: one flat list. */
  readonly validation_status?: readonly ValidationStatus[];
}

/** One assertion; `data` has whatever its producer wrote. */
export interface Assertion {
  readonly label: string;
  readonly data?: unknown;
  /** True if a claim of version 2 lists the assertion as the signer's own, not as gathered. */
  readonly created?: boolean;
}

/** A program that made or changed an image. */
interface GeneratorInfo {
  readonly name?: string;
}

/** One signed manifest. */
export interface Manifest {
  /** Absent in claims of version 1. */
  readonly claim_version?: number;
  /** C2PA 1.x: product tokens, `Name/1.0 library/2.0`. */
  readonly claim_generator?: string;
  readonly claim_generator_info?: readonly GeneratorInfo[];
  readonly assertions?: readonly Assertion[];
  readonly ingredients?: readonly Ingredient[];
  readonly signature_info?: {
    readonly issuer?: string;
    readonly common_name?: string;
    readonly time?: string;
  };
}

/** Everything embedded in one file. */
export interface ManifestStore {
  readonly active_manifest?: string;
  readonly manifests?: Readonly<Record<string, Manifest>>;
  readonly validation_results?: ValidationResults;
  readonly validation_state?: 'Invalid' | 'Valid' | 'Trusted';
}

/** JUMBF address of an ingredient assertion, as validation results name it. */
export function ingredientAddress(manifestLabel: string, ingredient: Ingredient): string {
  return `self#jumbf=/c2pa/${manifestLabel}/c2pa.assertions/${ingredient.label ?? ''}`;
}

/** The label without the `__n` that tells repeated assertions of one kind apart. */
export function assertionKind(label: string): string {
  return label.replace(/__\d+$/, '');
}
