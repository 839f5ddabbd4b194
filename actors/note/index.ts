import type { Capability } from '#actors/capability.ts'
import { Note } from '#actors/note/entity.ts'

/** Notes at days, shown in charts. */
export const note: Capability = {
  word: 'note',
  entities: [Note],
  migrates: true,
}
