import type { Story } from './story.ts'
import { pastStories } from './past.ts'
import { riskStories } from './risk.ts'
import { savedStories } from './saved.ts'
import { savingStories } from './saving.ts'
import { wasteStories } from './waste.ts'

export { onboardedDaysAgo } from './past.ts'

/** Every planted story, in no order. */
export const stories: readonly Story[] = [
  ...wasteStories,
  ...savingStories,
  ...riskStories,
  ...pastStories,
  ...savedStories,
]
