/** The external call of the refresh actor. */
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect } from '#engine/actor/turn.ts'
import { providers } from '#streams/names.ts'

/** Scans one account with its connector and publishes what it finds; implemented in `discover.ts`. */
export const discoverAccount = {
  name: 'discover-account',
  schema: t.Object({
    refreshId: t.String(),
    scanId: t.String(),
    cloudAccountId: t.String(),
    provider: t.Enum(providers),
  }),
} satisfies Effect

export type DiscoverInput = Static<typeof discoverAccount.schema>
