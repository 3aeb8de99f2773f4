// What rooms that read members' rows share with the room that keeps them.

/** The e-mail address of a row of `members`, in SQL. */
export const MEMBER_ADDRESS = 'coalesce(members.address, members.email)';
