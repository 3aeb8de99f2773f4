// Types for the JSON of c2pa-node's manifest store, only the fields that the project uses.

/** One result of validation. Source: C2PA specification, section 'Validation', status codes. */
export interface ValidationStatus {
  readonly code: string;
  /** JUMBF address of the part that was validated. */
  readonly url?: string;
}

/** Results of validation by outcome. */
export interface StatusCodes {
  readonly success?: readonly ValidationStatus[];
  readonly informational?: readonly ValidationStatus[];
  readonly failure?: readonly ValidationStatus[];
}

/** Results about an ingredient that differ from the ones that its signer recorded. */
interface IngredientDelta {
  readonly ingredientAssertionURI: string;
  readonly validationDeltas: StatusCodes;
}

/** Results about the active manifest, and about its ingredients. */
export interface ValidationResults {
  readonly activeManifest?: StatusCodes;
  readonly ingredientDeltas?: readonly IngredientDelta[];
}

/** Relation of an ingredient to the image that was made from it, in C2PA's words. */
type IngredientRelationship = 'parentOf' | 'componentOf' | 'inputTo';

/** An image that another image was made from. */
export interface Ingredient {
  /** Label of the assertion that describes the ingredient, such as `c2pa.ingredient__2`. */
  readonly label?: string;
  readonly relationship?: IngredientRelationship;
  /** Kind of the ingredient's origin, as stated by the signer (C2PA 2.4). */
  readonly digital_source_type?: string;
  /** File name or title. */
  readonly title?: string;
  /** Label of the ingredient's own manifest in the same store, if it has one. */
  readonly active_manifest?: string;
  /** Validation results that the signer recorded when adding the ingredient (C2PA 2.x). */
  readonly validation_results?: ValidationResults;
  /** Validation results that the signer recorded, as a flat list (C2PA 1.x). */
  readonly validation_status?: readonly ValidationStatus[];
}

/** A statement in a manifest. Its label says what `data` contains. */
export interface Assertion {
  readonly label: string;
  readonly data?: unknown;
  /** True if the signer vouches for the assertion instead of only gathering it (claims of version 2). */
  readonly created?: boolean;
}

/** A program that made or changed an image. */
interface GeneratorInfo {
  readonly name?: string;
}

export interface Manifest {
  /** Version of the claim (the signed part of a manifest); absent in version 1. */
  readonly claim_version?: number;
  /** Programs that made the claim, in C2PA 1.x as one text: `Name/1.0 library/2.0`. */
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

/** All manifests in a file: the image's own (the active one) and its ingredients'. */
export interface ManifestStore {
  readonly active_manifest?: string;
  readonly manifests?: Readonly<Record<string, Manifest>>;
  readonly validation_results?: ValidationResults;
  readonly validation_state?: 'Invalid' | 'Valid' | 'Trusted';
}

/** Returns the JUMBF address of an ingredient's assertion, which validation results use as its name. */
export function ingredientAddress(manifestLabel: string, ingredient: Ingredient): string {
  return `self#jumbf=/c2pa/${manifestLabel}/c2pa.assertions/${ingredient.label ?? ''}`;
}

/** Returns an assertion's label without the suffix `__n`, which numbers assertions of the same kind. */
export function assertionKind(label: string): string {
  return label.replace(/__\d+$/, '');
}
