/** The client of the API as one file, for projects that ask it from TypeScript. */
import type { Command } from '#config/command/command.ts'
import { version } from '#config/version.ts'

export const clientCommand: Command = {
  name: 'client',
  summary: 'Print a typed client of the API: one file of TypeScript that needs nothing else',
  usage: 'tidemark client > tidemark.ts',
  options: {},
  about: {},
  run: async () => {
    const [{ documentOf, routes, site }, { clientOf }] = await Promise.all([
      import('#http/index.ts'),
      import('#http/client/print.ts'),
    ])
    const text = clientOf(documentOf(site(routes, { version, ready: async () => [] }), { version, url: '' }) as never)
    return { data: { client: text }, text: text.trimEnd() }
  },
}
