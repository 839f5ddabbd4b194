import type { Command } from '#config/command/command.ts'
import { build } from '#config/container.ts'
import { tokens } from '#config/tokens.ts'
import { withInstance } from '#config/instance.ts'

export const keysRotate: Command = {
  name: 'keys rotate',
  summary: 'Sign access tokens with a new key from now on',
  usage: 'tidemark keys rotate [--revoke]',
  options: { revoke: { type: 'boolean' } },
  about: { '--revoke': 'Refuse what older keys have signed, within five seconds; clients refresh' },
  run: async ({ values }) =>
    withInstance(async ({ connections }) => {
      const kid = await build(connections)
        .get(tokens.identity)
        .keys.rotate(values['revoke'] === true)
      return { data: { kid }, text: `The new key is ${kid}.` }
    }),
}
