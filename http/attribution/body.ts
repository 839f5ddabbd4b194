/** What bodies of teams and of resource groups have in common. */
import { text } from '#streams/text.ts'

export const Description = text({ maxLength: 1000 })
