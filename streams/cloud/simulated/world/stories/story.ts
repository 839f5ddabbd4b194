import type { Hours, Load, Purchase } from '#streams/cloud/simulated/world/resource.ts'

/** What a story does to its resources. Days are counted back from the world's day. */
export interface StoryChange {
  load?: Load
  hours?: Hours
  /** Until so many days ago it kept these hours. */
  formerHours?: { hours: Hours; toDaysAgo: number }
  specs?: Readonly<Record<string, unknown>>
  /** Specs that count the days since so many days ago. */
  since?: Readonly<Record<string, number>>
  bornDaysAgo?: number
  /** Since when nothing of it has changed, where the cloud tells so. */
  unchangedDaysAgo?: number
  gbADay?: number
  purchase?: Omit<Purchase, 'until'> & { endedDaysAgo: number }
  resize?: { size: string; fromDaysAgo: number; toDaysAgo: number }
}

/** Something planted for a user to find. Its resources are all those of the account with one of the names, or the whole account. */
export interface Story {
  id: string
  title: string
  /** What a user should find, where. */
  find: string
  /** Rules that every one of its resources must be found by. */
  rules: readonly string[]
  account: string
  names: readonly string[]
  change: StoryChange
}
