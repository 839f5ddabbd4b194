/**
 * The stores a command works on. What opens them is most of the product, and is loaded once it is needed: a command says what it takes,
 * or what was mistyped, without.
 */
import type { Connections } from '#config/connect.ts'
import type { build } from '#config/container.ts'
import type { Settings } from '#config/settings.ts'
import type { Services } from '#http/edge/services.ts'

export interface Instance {
  connections: Connections
  settings: Settings
  /** The product put together on them. */
  product: () => ReturnType<typeof build>
  /** What handlers of the edge use, for an organization. */
  services: (orgId: string) => Services
  /** Whether a product runs on these stores already, so that events are consumed without our help. */
  isRunning: boolean
  /** Its edge, where it says so. */
  url: string | undefined
  /** Where people reach it, if anybody says so. */
  publicUrl: string | undefined
  /** Where producers publish: servers of NATS by commas, without credentials. */
  natsUrl: string
  /** Lets NATS know its users after a change. False: it is the operator's own, whose configuration he keeps. */
  applyStreamUsers: () => Promise<boolean>
}

/** Runs `work` with the stores open, and closes whatever was opened for it. */
export async function withInstance<T>(work: (instance: Instance) => Promise<T>): Promise<T> {
  const { withInstance: opened } = await import('#config/opened.ts')
  return opened(work)
}
