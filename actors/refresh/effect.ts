/** The external call of the refresh actor. */
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect } from '#engine/actor/turn.ts'
import { providers } from '#streams/names.ts'
import { Rescan } from '#streams/refresh.ts'

/** Scans one account with its connector and publishes what it finds; implemented in `discover.ts`. */
export const discoverAccount = {
  name: 'discover-account',
  schema: t.Object({
    refreshId: t.String(),
    scanId: t.String(),
    cloudAccountId: t.String(),
    provider: t.Enum(providers),
    /** Left out: all of the account. */
    rescan: t.Optional(Rescan),
  }),
} satisfies Effect

export type DiscoverInput = Static<typeof discoverAccount.schema>
