import type { Story } from './story.ts'
import { pastStories } from './cost-history.ts'
import { riskStories } from './risk.ts'
import { savedStories } from './realized-savings.ts'
import { savingStories } from './potential-savings.ts'
import { wasteStories } from './waste.ts'

export { onboardedDaysAgo } from './cost-history.ts'

/** All stories, in no particular order. */
export const stories: readonly Story[] = [
  ...wasteStories,
  ...savingStories,
  ...riskStories,
  ...pastStories,
  ...savedStories,
]
