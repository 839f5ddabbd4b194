/** The streams there are: one for each lane, which outside producers fill too, and outlets. */

/** The stream of a lane. */
export const streamOf = (lane: number): string => `LANE-${lane}`

/** A stream that only the product publishes on. */
interface Outlet {
  name: string
  subjects: string[]
  /** Maximum bytes; the oldest messages are dropped unless it refuses new ones; default: as for a lane. */
  bytesMax?: number
  /** How long a message is kept, nanoseconds; default: forever. */
  ageNs?: number
  /** A full stream refuses new messages instead of dropping unread ones. */
  isRefusing?: true
}

/** Outgoing streams: events for subscribers, dead letters, orders for executors and builders. */
export const outlets: readonly Outlet[] = [
  { name: 'EVENTS', subjects: ['event.>'] },
  { name: 'DEAD', subjects: ['dead.>'], bytesMax: 2 ** 30, ageNs: 30 * 86_400e9 },
  { name: 'EXEC', subjects: ['exec.intent.>'], bytesMax: 2 ** 28 },
  // The sender gets an error if there is no room, and orders again. No result is accepted for a build of a week ago.
  { name: 'BUILD', subjects: ['build.>'], bytesMax: 2 ** 28, ageNs: 7 * 86_400e9, isRefusing: true },
]
