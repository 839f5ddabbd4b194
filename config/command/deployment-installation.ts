import { unlinkInstallation } from '#actors/source/link.ts'
import { required, type Command } from '#config/command/command.ts'
import { ofOrganization } from '#config/command/engine.ts'
import { recordOfOperator } from '#config/command/operator.ts'
import { withInstance } from '#config/instance.ts'
import type { Connections } from '#config/connect.ts'

const usage = 'tidemark installation unlink --org ID --id N'

/** Takes an installation from its organization, and writes it down. @throws Fault `missing` for one that it has not */
export async function unlink({ orm, clock }: Connections, orgId: string, installationID: string): Promise<void> {
  await orm.em.fork().transactional(async (tx) => {
    await unlinkInstallation(tx, orgId, installationID)
    const happened = { type: 'installation_unlinked', orgId, detail: { installationID } } as const
    await recordOfOperator(tx, happened, new Date(clock.now()))
  })
}

export const installationUnlink: Command = {
  name: 'installation unlink',
  summary: 'Take an installation at a host of sources from its organization; another one can link it then',
  usage,
  options: { org: { type: 'string' }, id: { type: 'string' } },
  about: { '--org ID': 'The organization', '--id N': 'The installation, as its host numbers it' },
  async run({ values }) {
    const orgId = required({ usage }, values['org'], '--org')
    const id = required({ usage }, values['id'], '--id')
    return withInstance(async (instance) => {
      await ofOrganization(instance, orgId)
      await unlink(instance.connections, orgId, id)
      return { data: { orgID: orgId, installationID: id }, text: `Installation ${id} is linked to nobody.` }
    })
  },
}
