/**
 * Owners as the forge names them: letters, digits and dashes, and in an enterprise with managed users an underscore
 * before the enterprise's short code (`octocat_acme`); such people own repositories, too.
 * https://docs.github.com/en/enterprise-cloud@latest/admin/managing-iam/iam-configuration-reference/username-considerations-for-external-authentication
 */
const OWNER = '[A-Za-z0-9][A-Za-z0-9_-]{0,38}';
const NAME = '[A-Za-z0-9_.-]{1,100}';

/** `@owner/team`; the group is what stands after the `@`. */
export const TEAM_MENTION = new RegExp(`^@(${OWNER}/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99})$`);

/** `owner/name`. */
export const REPOSITORY_NAME = new RegExp(`^${OWNER}\\/${NAME}$`);

/** `owner/name`, or all of an owner: `owner/*`. */
export const REPOSITORY_PATTERN = new RegExp(`^${OWNER}\\/(?:\\*|${NAME})$`);

/** `owner/name`, or a name where the owner is known. */
export const REPOSITORY_NAME_NEARBY = new RegExp(`^(?:${OWNER}\\/)?${NAME}$`);
