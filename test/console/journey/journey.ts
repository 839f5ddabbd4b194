import type { Hand } from '#test/console/journey/hand.ts'
import type { World } from '#test/console/journey/world.ts'

/** A task as people do it, from the overview on. */
export interface Journey {
  task: string
  /** What it may take, clicks and keys. */
  actionsMax: number
  /** Does it, and expects what is seen at the end. */
  walk: (hand: Hand, world: World) => Promise<void>
}
