/** Cloud accounts of an organization, at most. */
export const accountsMax = 10_000
