/** Whose installations at hosts of sources are, and single repositories, as an operator says it. */
import { giveInstallation, linkRepository, unlinkInstallation, unlinkRepository } from '#actors/source/link.ts'
import { required, type Command } from '#config/command/command.ts'
import { ofOrganization } from '#config/command/engine.ts'
import { recordOfOperator } from '#config/command/operator.ts'
import { withInstance } from '#config/instance.ts'
import type { Connections } from '#config/connect.ts'
import { Fault } from '#engine/fault.ts'
import { repositoryKey } from '#streams/source/repository-url.ts'

/** Takes an installation from its organization, and writes it down. @throws Fault `missing` for one that it has not */
export async function unlink({ orm, clock }: Connections, orgId: string, installationID: string): Promise<void> {
  await orm.em.fork().transactional(async (tx) => {
    await unlinkInstallation(tx, orgId, installationID)
    const happened = { type: 'installation_unlinked', orgId, detail: { installationID } } as const
    await recordOfOperator(tx, happened, new Date(clock.now()))
  })
}

/** Gives an installation to an organization, and writes it down. @throws Fault `missing`, `conflict` `already_exists` */
export async function link({ orm, clock }: Connections, orgId: string, installationID: string): Promise<void> {
  const at = new Date(clock.now())
  await orm.em.fork().transactional(async (tx) => {
    await giveInstallation(tx, orgId, installationID, at)
    const happened = { type: 'installation_linked', orgId, detail: { installationID, status: 'linked' } } as const
    await recordOfOperator(tx, happened, at)
  })
}

/** @throws Fault `invalid` for what is no address of a repository */
function keyOf(url: string): string {
  const key = repositoryKey(url)
  if (key === undefined) throw Fault.invalid('validation_failed', `${url} is no address of a repository.`)
  return key
}

/** The same for one repository. @throws Fault `invalid`, `conflict` `already_exists` for one of another organization, `missing` */
export async function setRepository(
  { orm, clock }: Connections,
  orgId: string,
  url: string,
  isLinked: boolean,
): Promise<void> {
  const key = keyOf(url)
  const at = new Date(clock.now())
  await orm.em.fork().transactional(async (tx) => {
    if (!isLinked) await unlinkRepository(tx, orgId, key)
    else if (!(await linkRepository(tx, orgId, key, at)))
      throw Fault.conflict('already_exists', 'Another organization has linked this repository.')
    const type = isLinked ? ('installation_linked' as const) : ('installation_unlinked' as const)
    await recordOfOperator(tx, { type, orgId, detail: { repository: key } }, at)
  })
}

type Work = (connections: Connections, orgId: string, given: string) => Promise<void>

function command(name: string, summary: string, option: 'id' | 'url', done: string, work: Work): Command {
  const usage = `tidemark ${name} --org ID --${option} ${option === 'id' ? 'N' : 'URL'}`
  const about =
    option === 'id' ? { '--id N': 'The installation, as its host numbers it' } : { '--url URL': 'The repository' }
  return {
    name,
    summary,
    usage,
    options: { org: { type: 'string' }, [option]: { type: 'string' } },
    about: { '--org ID': 'The organization', ...about },
    async run({ values }) {
      const orgId = required({ usage }, values['org'], '--org')
      const given = required({ usage }, values[option], `--${option}`)
      return withInstance(async (instance) => {
        await ofOrganization(instance, orgId)
        await work(instance.connections, orgId, given)
        const shown = option === 'id' ? { installationID: given } : { repositoryURL: given }
        return { data: { orgID: orgId, ...shown }, text: `${given} ${done}` }
      })
    },
  }
}

export const installationCommands: readonly Command[] = [
  command(
    'installation link',
    'Confirm that an installation at a host of sources is of an organization',
    'id',
    'is linked to the organization.',
    link,
  ),
  command(
    'installation unlink',
    'Take an installation at a host of sources from its organization; another one can link it then',
    'id',
    'is linked to nobody.',
    unlink,
  ),
  command(
    'repository link',
    'Confirm that a repository is of an organization: pushes to it reach that one alone',
    'url',
    'is linked to the organization.',
    (connections, orgId, url) => setRepository(connections, orgId, url, true),
  ),
  command(
    'repository unlink',
    'Take a repository that is linked by itself from its organization',
    'url',
    'is linked to nobody.',
    (connections, orgId, url) => setRepository(connections, orgId, url, false),
  ),
]
