import { requireValue, UsageError, type Command } from '#config/command/line/command.ts'
import { defaultOrg, removeDefaultOrg, saveDefaultOrg } from '#config/command/line/default-org.ts'
import { findOrganization } from '#config/command/line/engine.ts'
import { withInstance } from '#config/product/instance.ts'

const setUsage = 'tidemark config set org ORG'
const unsetUsage = 'tidemark config unset org'
const about = { org: 'The default organization of commands that take --org' }

/** @throws UsageError */
function checkKey(usage: string, key: string | undefined): void {
  if (requireValue({ usage }, key, 'org') !== 'org')
    throw new UsageError(`Unknown key ${key}: only org can be set. Usage: ${usage}`)
}

const configSet: Command = {
  name: 'config set',
  summary: 'Set the default organization for commands that take --org',
  usage: setUsage,
  positionals: 2,
  options: {},
  about: { ...about, ORG: 'Organization name or ID' },
  run: async ({ positionals: [key, given] }) => {
    checkKey(setUsage, key)
    const named = requireValue({ usage: setUsage }, given, 'ORG')
    return withInstance(async (instance) => {
      const { id, name } = await findOrganization(instance, named)
      saveDefaultOrg(instance.settings.dataDir, { id, name })
      return { data: { org: { id, name } }, text: `Default organization: ${name} (${id})` }
    })
  },
}

const configShow: Command = {
  name: 'config show',
  summary: 'Show the default organization',
  usage: 'tidemark config show',
  options: {},
  about: {},
  run: async () => {
    const org = defaultOrg()
    const text = org ? `Default organization: ${org.name} (${org.id})` : 'No default organization is set.'
    return { data: { org: org ?? null }, text }
  },
}

const configUnset: Command = {
  name: 'config unset',
  summary: 'Remove the default organization',
  usage: unsetUsage,
  positionals: 1,
  options: {},
  about,
  run: async ({ positionals: [key] }) => {
    checkKey(unsetUsage, key)
    removeDefaultOrg()
    return { data: { org: null }, text: 'No default organization is set.' }
  },
}

export const configCommands: readonly Command[] = [configSet, configShow, configUnset]
