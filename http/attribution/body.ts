/** Shared by the bodies of teams and of resource groups. */
import { text } from '#streams/text.ts'

export const Description = text({ maxLength: 1000 })
