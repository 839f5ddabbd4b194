import type { Command } from '#config/command/command.ts'
import { settings } from '#config/settings.ts'

export const start: Command = {
  name: 'start',
  summary: 'Run the product: stores, engine and edge',
  usage: 'tidemark start',
  options: {},
  about: Object.fromEntries(
    Object.values(settings)
      .filter(({ name }) => name !== 'PATH')
      .map(({ name, about, fallback, unit }) => [
        name,
        `${about} (default ${fallback === undefined ? 'unset' : String(fallback)}${unit && ` ${unit}`})`,
      ]),
  ),
  run: async ({ isJson }) => {
    // Everything there is: loaded for who runs it, not for who asks what it takes.
    const { started } = await import('#config/command/started.ts')
    await started(isJson)
    return { text: '' }
  },
}
