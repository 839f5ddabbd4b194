/** Whose installations at hosts of sources are, and single repositories, as an operator says it. */
import { giveInstallation, linkRepository, unlinkInstallation, unlinkRepository } from '#actors/source/link.ts'
import { orgCommand } from '#config/command/line/build.ts'
import type { Command } from '#config/command/line/command.ts'
import { requiredText, org } from '#config/command/line/flag.ts'
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

const installationCommand = (verb: 'link' | 'unlink', summary: string, done: string, work: Work): Command =>
  orgCommand({
    name: `installation ${verb}`,
    summary,
    takes: { org, id: requiredText('N', 'Installation number at the Git host') },
    run: async ({ connections }, orgID, { id: installationID }) => {
      await work(connections, orgID, installationID)
      return { data: { orgID, installationID }, text: `${installationID} ${done}` }
    },
  })

const repositoryCommand = (verb: 'link' | 'unlink', summary: string, done: string): Command =>
  orgCommand({
    name: `repository ${verb}`,
    summary,
    takes: { org, url: requiredText('URL', 'Repository URL') },
    run: async ({ connections }, orgID, { url: repositoryURL }) => {
      await setRepository(connections, orgID, repositoryURL, verb === 'link')
      return { data: { orgID, repositoryURL }, text: `${repositoryURL} ${done}` }
    },
  })

const linked = 'is linked to the organization.'
const unlinked = 'is not linked to any organization.'

export const installationCommands: readonly Command[] = [
  installationCommand('link', 'Link a Git host installation to an organization', linked, link),
  installationCommand(
    'unlink',
    'Unlink a Git host installation; another organization can then link it',
    unlinked,
    unlink,
  ),
  repositoryCommand('link', 'Link a repository to an organization: only that organization receives its pushes', linked),
  repositoryCommand('unlink', 'Unlink a repository that was linked individually', unlinked),
]
