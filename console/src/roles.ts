// What a role includes, for showing only what may be used; the service decides.
import type { Role } from '../../src/accounts/members/members.js';

export type { Role };

/** Roles from the least to the most. */
export const ROLES: readonly Role[] = ['member', 'owner', 'operator'];

/** Whether `role` includes what `needed` may do. */
export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
