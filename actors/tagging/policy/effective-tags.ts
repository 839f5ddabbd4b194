/** Which of the tags of a resource count. */

type Tags = Readonly<Record<string, string>>

/** A key of the cloud wins over a smart tag that people accepted, and this over what an accepted suggestion stands for (decision G-43). */
export const effectiveTags = (cloud: Tags, smart: Tags, auto: Tags): Record<string, string> => ({
  ...auto,
  ...smart,
  ...cloud,
})
