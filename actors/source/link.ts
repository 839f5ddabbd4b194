/**
 * Which organization an installation or repository belongs to. Operators assign installations. If links are open, a
 * claim by an organization counts, too: if it names the owner of the installation, or if it is the only claim in the
 * hour of the installation. A repository is claimed by anyone who may push to it. The one writer of SourceClaim and
 * SourceLink, and of the organization of SourceInstallation and SourceRepository.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { SourceClaim, SourceInstallation, SourceLink, SourceRepository } from './entity.ts'
import { ownersOf } from './queries.ts'

/** Milliseconds for which a claim waits for its host, and for which an installation is new. */
const freshMs = 3_600_000
/** Maximum waiting claims of an organization, since numbers can be guessed. */
const waitingMax = 20

/** Serializes changes of one installation: deliveries may arrive at the same time. */
export const lockInstallation = async (em: EntityManager, id: string): Promise<void> =>
  void (await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`source-installation ${id}`]))

export interface Claim {
  orgId: string
  id: string
  /** The owner of the installation, as its host names it. */
  account: string | undefined
}

export interface LinkResult {
  status: 'linked' | 'pending'
  isNew: boolean
}

/**
 * Gives an installation to an organization, in a transaction of `em` that sees all organizations. With proof it is
 * given at once; otherwise the claim waits up to an hour for the host or an operator. Claims for an unknown, removed or
 * foreign installation wait alike, so that guessing numbers reveals nothing.
 * @throws Fault `conflict` `already_exists` if another organization has it; `refused` `too_many_claims` if 20 wait
 */
export async function linkInstallation(
  em: EntityManager,
  claim: Claim,
  { at, linksAreOpen }: { at: Date; linksAreOpen: boolean },
): Promise<LinkResult> {
  const { orgId, id, account } = claim
  await lockInstallation(em, id)
  const found = await em.findOne(SourceInstallation, { id, goneAt: null }, { refresh: true })
  if (found?.orgId === orgId) return { status: 'linked', isNew: false }
  if (found && found.orgId !== '')
    throw Fault.conflict('already_exists', 'This installation is already linked to another organization.')
  // A claim that names the owner is not a guess, however many others are waiting.
  if (linksAreOpen && found && account !== undefined && account.toLowerCase() === found.account.toLowerCase()) {
    await give(em, id, orgId, at)
    return { status: 'linked', isNew: true }
  }
  const isNew = await keep(em, claim, at)
  if (!linksAreOpen) return { status: 'pending', isNew }
  await linkClaimed(em, id, at)
  const isLinked = (await em.count(SourceInstallation, { id, orgId })) > 0
  return isLinked ? { status: 'linked', isNew: true } : { status: 'pending', isNew }
}

/** Whether the organization has not claimed it before. */
async function keep(em: EntityManager, { orgId, id, account = '' }: Claim, at: Date): Promise<boolean> {
  const since = new Date(at.getTime() - freshMs)
  await em.nativeDelete(SourceClaim, { orgId, claimedAt: { $lt: since } })
  const isKnown = (await em.count(SourceClaim, { orgId, installationId: id })) > 0
  if (!isKnown && (await em.count(SourceClaim, { orgId })) >= waitingMax)
    throw Fault.refused(
      'too_many_claims',
      `Too many installations (${waitingMax}) are waiting for their host to confirm them. Each one waits at most an hour.`,
    )
  await em.execute(
    `insert into source_claim (org_id, installation_id, account, claimed_at) values (?, ?, ?, ?)
     on conflict (org_id, installation_id) do update set account = excluded.account, claimed_at = excluded.claimed_at`,
    [orgId, id, account, at.toISOString()],
  )
  return !isKnown
}

const standingSql = `
  select i.account, (select min(heard_at) from source_delivery d where d.installation_id = i.id) > ? as "isFresh"
  from source_installation i where i.id = ? and i.org_id = '' and i.gone_at is null`

/**
 * Gives an installation without an organization to the one that claimed it with proof; if several named its owner, to
 * the first.
 */
export async function linkClaimed(em: EntityManager, id: string, at: Date): Promise<void> {
  const since = new Date(at.getTime() - freshMs)
  const [free] = await em.execute<{ account: string; isFresh: boolean }[]>(standingSql, [since.toISOString(), id])
  if (!free) return
  const claims = await em.find(
    SourceClaim,
    { installationId: id, claimedAt: { $gte: since } },
    { orderBy: { claimedAt: 'asc', orgId: 'asc' }, disableIdentityMap: true },
  )
  const wanted = free.account.toLowerCase()
  const named = claims.filter(({ account }) => wanted === '' || account.toLowerCase() === wanted)
  const unnamed = claims.filter(({ account }) => account === '')
  const owner = named[0] ?? (free.isFresh && unnamed.length === 1 ? unnamed[0] : undefined)
  if (owner) await give(em, id, owner.orgId, at)
}

/**
 * An operator gives a reported installation to an organization. @throws Fault `missing`, `conflict` `already_exists`
 */
export async function giveInstallation(em: EntityManager, orgId: string, id: string, at: Date): Promise<void> {
  await lockInstallation(em, id)
  const found = await em.findOne(SourceInstallation, { id, goneAt: null }, { refresh: true })
  if (!found) throw Fault.missing('installation', id)
  if (found.orgId !== '' && found.orgId !== orgId)
    throw Fault.conflict('already_exists', 'This installation is already linked to another organization.')
  await give(em, id, orgId, at)
}

/** Prefix of a branch that is pushed to link its repository; the id of the organization follows. */
export const linkBranch = 'tidemark-link-'

const organizationSql = 'select 1 as known from organization where id::text = ?'

/**
 * Gives a repository to an organization, in a transaction of `em` that sees all organizations. Undefined if another one
 * has it, or the organization does not exist: the first one keeps it until an operator removes the link.
 */
export async function linkRepository(
  em: EntityManager,
  orgId: string,
  repositoryKey: string,
  at: Date,
): Promise<'new' | 'known' | undefined> {
  await lockInstallation(em, repositoryKey)
  if ((await em.execute<object[]>(organizationSql, [orgId])).length === 0) return undefined
  const owners = await ownersOf(em, repositoryKey)
  if (owners.some((owner) => owner !== orgId)) return undefined
  const made = await em.execute<object[]>(
    `insert into source_link (repository_key, org_id, linked_at) values (?, ?, ?)
     on conflict (repository_key) do nothing returning repository_key`,
    [repositoryKey, orgId, at.toISOString()],
  )
  return made.length > 0 ? 'new' : 'known'
}

/** @throws Fault `missing` if it is not linked directly to the organization */
export async function unlinkRepository(em: EntityManager, orgId: string, repositoryKey: string): Promise<void> {
  await lockInstallation(em, repositoryKey)
  if ((await em.nativeDelete(SourceLink, { orgId, repositoryKey })) === 0)
    throw Fault.missing('repository', repositoryKey)
}

/**
 * Removes an installation from its organization, so that another one can link it.
 * @throws Fault `missing` if it does not belong to the organization
 */
export async function unlinkInstallation(em: EntityManager, orgId: string, id: string): Promise<void> {
  await lockInstallation(em, id)
  if ((await em.count(SourceInstallation, { id, orgId })) === 0) throw Fault.missing('installation', id)
  await give(em, id, '', null)
}

async function give(em: EntityManager, id: string, orgId: string, linkedAt: Date | null): Promise<void> {
  await em.nativeUpdate(SourceInstallation, { id }, { orgId, linkedAt })
  await em.nativeUpdate(SourceRepository, { installationId: id }, { orgId })
  await em.nativeDelete(SourceClaim, { installationId: id })
}
