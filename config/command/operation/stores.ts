import { storeCommand } from '#config/command/line/build.ts'
import { UsageError } from '#config/command/line/command.ts'
import { optionalArgument, readAs } from '#config/command/line/flag.ts'
import type { StoreName } from '#config/state/installation.ts'

const stores: readonly StoreName[] = ['postgres', 'clickhouse', 'nats']

const store = readAs(
  optionalArgument(stores.join(', '), 'Store that lost data, as named by "tidemark doctor"'),
  (given) => {
    const known = stores.find((name) => name === given)
    if (known) return known
    throw new UsageError(`Store must be one of ${stores.join(', ')}. Usage: tidemark stores accept STORE`)
  },
)

export const storesAccept = storeCommand({
  name: 'stores accept',
  summary: 'Accept data loss in a store that was emptied or restored on its own',
  usage: stores.join('|'),
  takes: { store },
  run: async ({ connections }, { store }) => {
    const { acceptStore } = await import('#config/state/accept-store.ts')
    const done = await acceptStore(connections, store)
    return { data: { store, done }, text: done.join('\n') }
  },
})
