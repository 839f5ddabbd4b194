/** Whose installations at hosts of sources are, and single repositories, as an operator says it. */
import { giveInstallation, linkRepository, unlinkInstallation, unlinkRepository } from '#actors/source/link.ts'
import { aboutOrg, requireValue, requireOrg, type Command } from '#config/command/line/command.ts'
import { withOrganization } from '#config/command/line/engine.ts'
import { recordOfOperator } from '#config/command/line/operator.ts'
import type { Connections } from '#config/state/connect.ts'
import { Fault } from '#engine/value/fault.ts'
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
  if (key === undefined) throw Fault.invalid('validation_failed', `${url} is not a repository URL.`)
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
  const usage = `tidemark ${name} --org ORG --${option} ${option === 'id' ? 'N' : 'URL'}`
  const about =
    option === 'id' ? { '--id N': 'Installation number at the Git host' } : { '--url URL': 'Repository URL' }
  return {
    name,
    summary,
    usage,
    options: { org: { type: 'string' }, [option]: { type: 'string' } },
    about: { ...aboutOrg, ...about },
    async run({ values }) {
      const named = requireOrg({ usage }, values['org'])
      const given = requireValue({ usage }, values[option], `--${option}`)
      return withOrganization(named, async (instance, orgId) => {
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
    'Link a Git host installation to an organization',
    'id',
    'is linked to the organization.',
    link,
  ),
  command(
    'installation unlink',
    'Unlink a Git host installation; another organization can then link it',
    'id',
    'is not linked to any organization.',
    unlink,
  ),
  command(
    'repository link',
    'Link a repository to an organization: only that organization receives its pushes',
    'url',
    'is linked to the organization.',
    (connections, orgId, url) => setRepository(connections, orgId, url, true),
  ),
  command(
    'repository unlink',
    'Unlink a repository that was linked individually',
    'url',
    'is not linked to any organization.',
    (connections, orgId, url) => setRepository(connections, orgId, url, false),
  ),
]
