// Compares roles, to hide actions that a person may not use. The service enforces the permissions.
import type { Role } from '../../src/accounts/members/members.js';

export type { Role };

/** Roles in ascending order. */
export const ROLES: readonly Role[] = ['member', 'owner', 'operator'];

/** Returns whether `role` includes the permissions of `needed`. */
export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
