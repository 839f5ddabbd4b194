import { UsageError, type Command } from '#config/command/line/command.ts'
import type { StoreName } from '#config/state/installation.ts'
import { withInstance } from '#config/product/instance.ts'

const stores: readonly StoreName[] = ['postgres', 'clickhouse', 'nats']

export const storesAccept: Command = {
  name: 'stores accept',
  summary: 'Accept data loss in a store that was emptied or restored on its own',
  usage: `tidemark stores accept ${stores.join('|')}`,
  options: {},
  about: { 'postgres, clickhouse, nats': 'Store that lost data, as named by "tidemark doctor"' },
  positionals: 1,
  run: async ({ positionals }) => {
    const store = stores.find((name) => name === positionals[0])
    if (!store) throw new UsageError(`Store must be one of ${stores.join(', ')}. Usage: tidemark stores accept STORE`)
    return withInstance(async ({ connections }) => {
      const { acceptStore } = await import('#config/state/accept-store.ts')
      const lines = await acceptStore(connections, store)
      return { data: { store, done: lines }, text: lines.join('\n') }
    })
  },
}
