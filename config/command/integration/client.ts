/** The client of the API as one file, for projects that ask it from TypeScript. */
import { command } from '#config/command/line/build.ts'
import { servedWith } from '#config/wiring/served-routes.ts'
import { readSettings } from '#config/settings/settings.ts'
import { version } from '#config/process/version.ts'

export const clientCommand = command({
  name: 'client',
  summary: 'Print a typed API client: one TypeScript file without dependencies',
  usage: '> tidemark.ts',
  takes: {},
  run: async () => {
    const [{ routes, site }, { documentOf }, { clientOf }] = await Promise.all([
      import('#http/index.ts'),
      import('#http/site/document.ts'),
      import('#http/client/print.ts'),
    ])
    // Only described here, never asked.
    const within = () => Promise.reject(new Error('There is no edge to ask.'))
    const all = site(servedWith(readSettings(), routes), { version, ready: async () => [], within })
    const text = clientOf(documentOf(all, { version, url: '' }) as never)
    return { data: { client: text }, text: text.trimEnd() }
  },
})
