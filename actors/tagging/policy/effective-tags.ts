/** The effective tags of a resource. */

type Tags = Readonly<Record<string, string>>

/**
 * A cloud tag wins over an accepted smart tag with the same key, and that over the tags of an accepted suggestion
 * (decision G-43).
 */
export const effectiveTags = (cloud: Tags, smart: Tags, auto: Tags): Record<string, string> => ({
  ...auto,
  ...smart,
  ...cloud,
})
