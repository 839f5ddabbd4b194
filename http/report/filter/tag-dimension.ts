/** Tags as dimensions: `tag:KEY`. */
import { tagKeyOf } from '#engine/value/tag-key.ts'

export const isTag = (name: string): boolean => name.startsWith('tag:') && name.length > 4
export const keyOf = (name: string): string => tagKeyOf(name.slice(4))
