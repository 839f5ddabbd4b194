import type { Hours, Load, Purchase } from '#streams/cloud/simulated/world/resource.ts'

/** How a story changes its resources. Days are counted back from the world's day. */
export interface StoryChange {
  load?: Load
  hours?: Hours
  /** Its hours until this many days ago. */
  formerHours?: { hours: Hours; toDaysAgo: number }
  specs?: Readonly<Record<string, unknown>>
  /** Specs that count the days since a day, given as days ago. */
  since?: Readonly<Record<string, number>>
  bornDaysAgo?: number
  /** Days since its last change, if the cloud reports it. */
  unchangedDaysAgo?: number
  gbADay?: number
  purchase?: Omit<Purchase, 'until'> & { endedDaysAgo: number }
  resize?: { size: string; fromDaysAgo: number; toDaysAgo: number }
}

/**
 * A situation for users to find. Its resources are those of the account with one of the names, or the whole account.
 */
export interface Story {
  id: string
  title: string
  /** What a user should find, and where. */
  find: string
  /** Rules that must report every one of its resources. */
  rules: readonly string[]
  account: string
  names: readonly string[]
  change: StoryChange
}
