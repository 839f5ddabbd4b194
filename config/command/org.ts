import { createOrganization } from '#http/identity/organization.ts'
import type { Command } from '#config/command/command.ts'
import { required } from '#config/command/command.ts'
import { withInstance } from '#config/instance.ts'

const usage = 'tidemark org create NAME'

export const orgCreate: Command = {
  name: 'org create',
  summary: 'Create an organization',
  usage,
  positionals: 1,
  options: {},
  about: { NAME: 'Its name, 1 to 100 characters' },
  run: async ({ positionals }) => {
    const name = required({ usage }, positionals[0], 'NAME')
    return withInstance(async ({ connections }) => {
      const { id, createdAt } = await createOrganization(connections.orm.em.fork(), name)
      return { data: { id, name, createdAt: createdAt.toISOString() }, text: `Organization ${name}: ${id}` }
    })
  },
}
