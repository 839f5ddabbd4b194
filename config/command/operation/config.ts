import { command, storeCommand } from '#config/command/line/build.ts'
import { UsageError, type Command } from '#config/command/line/command.ts'
import { defaultOrg, removeDefaultOrg, saveDefaultOrg } from '#config/command/line/default-org.ts'
import { findOrganization } from '#config/command/line/engine.ts'
import { argument, readAs } from '#config/command/line/flag.ts'

/** What can be set: the organization alone. */
const key = readAs(argument('org', 'The default organization of commands that take --org'), (typed, _, usage): void => {
  if (typed !== 'org') throw new UsageError(`Unknown key ${typed}: only org can be set. Usage: ${usage}`)
})

export const configCommands: readonly Command[] = [
  storeCommand({
    name: 'config set',
    summary: 'Set the default organization for commands that take --org',
    takes: { key, named: argument('ORG', 'Organization name or ID') },
    run: async (instance, { named }) => {
      const { id, name } = await findOrganization(instance, named)
      saveDefaultOrg(instance.settings.dataDir, { id, name })
      return { data: { org: { id, name } }, text: `Default organization: ${name} (${id})` }
    },
  }),
  command({
    name: 'config show',
    summary: 'Show the default organization',
    takes: {},
    run: () => {
      const org = defaultOrg()
      const text = org ? `Default organization: ${org.name} (${org.id})` : 'No default organization is set.'
      return { data: { org: org ?? null }, text }
    },
  }),
  command({
    name: 'config unset',
    summary: 'Remove the default organization',
    takes: { key },
    run: () => {
      removeDefaultOrg()
      return { data: { org: null }, text: 'No default organization is set.' }
    },
  }),
]
