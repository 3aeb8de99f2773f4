// The used part of c2pa-node's manifest store JSON as types.

/** A validation status. Source: C2PA specification, section 'Validation', status codes. */
export interface ValidationStatus {
  readonly code: string;
  /** JUMBF address of the validated part. */
  readonly url?: string;
}

/** Statuses by outcome. */
export interface StatusCodes {
  readonly success?: readonly ValidationStatus[];
  readonly informational?: readonly ValidationStatus[];
  readonly failure?: readonly ValidationStatus[];
}

/** Statuses of an ingredient's manifest that its ingredient assertion did not record. */
interface IngredientDelta {
  readonly ingredientAssertionURI: string;
  readonly validationDeltas: StatusCodes;
}

/** Statuses of a manifest and of its ingredients. */
export interface ValidationResults {
  readonly activeManifest?: StatusCodes;
  readonly ingredientDeltas?: readonly IngredientDelta[];
}

/** Relationship of an ingredient to the image in C2PA. */
type IngredientRelationship = 'parentOf' | 'componentOf' | 'inputTo';

/** An image that became part of this one. */
export interface Ingredient {
  /** Label of the ingredient assertion within its manifest, including `__n`. */
  readonly label?: string;
  readonly relationship?: IngredientRelationship;
  /** The signer's statement about the ingredient's source (C2PA 2.4). */
  readonly digital_source_type?: string;
  /** Label of the ingredient's own manifest in the store, if present. */
  readonly active_manifest?: string;
  /** Findings of the signer when it added the ingredient (C2PA 2.x). */
  readonly validation_results?: ValidationResults;
  /** The same in C2PA 1.x as a flat list. */
  readonly validation_status?: readonly ValidationStatus[];
}

/** An assertion; `data` has any content. */
export interface Assertion {
  readonly label: string;
  readonly data?: unknown;
  /** True if a claim of version 2 lists the assertion as created by the signer instead of gathered. */
  readonly created?: boolean;
}

/** A program that made or changed an image. */
interface GeneratorInfo {
  readonly name?: string;
}

/** A signed manifest. */
export interface Manifest {
  /** Version of the claim; absent in version 1. */
  readonly claim_version?: number;
  /** Product tokens of C2PA 1.x: `Name/1.0 library/2.0`. */
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

/** All manifests embedded in a file. */
export interface ManifestStore {
  readonly active_manifest?: string;
  readonly manifests?: Readonly<Record<string, Manifest>>;
  readonly validation_results?: ValidationResults;
  readonly validation_state?: 'Invalid' | 'Valid' | 'Trusted';
}

/** Returns the JUMBF address of an ingredient assertion, as validation results name it. */
export function ingredientAddress(manifestLabel: string, ingredient: Ingredient): string {
  return `self#jumbf=/c2pa/${manifestLabel}/c2pa.assertions/${ingredient.label ?? ''}`;
}

/** Returns the label without the `__n` that distinguishes repeated assertions. */
export function assertionKind(label: string): string {
  return label.replace(/__\d+$/, '');
}
