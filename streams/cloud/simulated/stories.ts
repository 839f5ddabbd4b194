import type { Story } from '#streams/cloud/simulated/story.ts'
import { pastStories } from '#streams/cloud/simulated/stories/past.ts'
import { riskStories } from '#streams/cloud/simulated/stories/risk.ts'
import { savedStories } from '#streams/cloud/simulated/stories/saved.ts'
import { savingStories } from '#streams/cloud/simulated/stories/saving.ts'
import { wasteStories } from '#streams/cloud/simulated/stories/waste.ts'

export { onboardedDaysAgo } from '#streams/cloud/simulated/stories/past.ts'

/** Every planted story, in no order. */
export const stories: readonly Story[] = [
  ...wasteStories,
  ...savingStories,
  ...riskStories,
  ...pastStories,
  ...savedStories,
]
